// SPDX-License-Identifier: Apache-2.0
//
// The source line of an address in a program: the line tables of DWARF 2 to 5, else the function that
// the symbol table names. Files are anybody's: every offset is checked before it is used.

#include "cplatform.h"
#include "part.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------- sections

typedef struct program {
  part file;
  part lines, line_texts, texts;
} program;

static bool section(const program *in, unsigned index, Elf64_Shdr *found) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)in->file.at;
  part place = cut(in->file, header->e_shoff + (uint64_t)index * sizeof *found, sizeof *found);
  if (index >= header->e_shnum || place.bad) return false;
  memcpy(found, place.at, sizeof *found);
  return true;
}

static part content(const program *in, const Elf64_Shdr *of) {
  bool plain = of->sh_type != SHT_NOBITS && (of->sh_flags & SHF_COMPRESSED) == 0;
  return plain ? cut(in->file, of->sh_offset, of->sh_size) : (part){in->file.end, in->file.end, true};
}

static part named(const program *in, const char *name) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)in->file.at;
  Elf64_Shdr names, found;
  part none = {in->file.end, in->file.end, true};
  if (!section(in, header->e_shstrndx, &names)) return none;
  part texts = content(in, &names);
  for (unsigned index = 0; section(in, index, &found); index++) {
    if (strcmp(text_at(texts, found.sh_name), name) == 0) return content(in, &found);
  }
  return none;
}

static bool function_at(const program *in, uint64_t address, char *name, size_t room) {
  Elf64_Shdr table, names;
  for (unsigned index = 0; section(in, index, &table); index++) {
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (!section(in, table.sh_link, &names)) continue;
    part symbols = content(in, &table), texts = content(in, &names);
    Elf64_Sym symbol;
    while ((size_t)(symbols.end - symbols.at) >= sizeof symbol) {
      memcpy(&symbol, symbols.at, sizeof symbol);
      symbols.at += sizeof symbol;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address < symbol.st_value ||
          address - symbol.st_value >= symbol.st_size) {
        continue;
      }
      snprintf(name, room, "%s", text_at(texts, symbol.st_name));
      return name[0] != 0;
    }
  }
  return false;
}

// ---------------------------------------------------------------- line tables

enum { folders_max = 4096, files_max = 16384, forms_max = 8 };

typedef struct unit {
  unsigned version, wide;  // wide: bytes of an offset
  uint8_t least_bytes, line_range, first_opcode;
  int8_t line_base;
  uint8_t operand_counts[256];
  part files;    // of a version before 5: the entries; else from the formats on
  part folders;
  part code;
} unit;

static const char *form_text(const program *in, const unit *of, part *from, uint64_t form,
                             uint64_t *number) {
  switch (form) {
    case 0x08: return text(from);                                             // string
    case 0x1f: return text_at(in->line_texts, fixed(from, of->wide));         // line_strp
    case 0x0e: return text_at(in->texts, fixed(from, of->wide));              // strp
    case 0x0b: *number = fixed(from, 1); return "";                           // data1
    case 0x05: *number = fixed(from, 2); return "";                           // data2
    case 0x06: *number = fixed(from, 4); return "";                           // data4
    case 0x07: *number = fixed(from, 8); return "";                           // data8
    case 0x0f: *number = unsigned_leb(from); return "";                       // udata
    case 0x1e: fixed(from, 8), fixed(from, 8); return "";                     // data16
    case 0x09: {                                                              // block
      uint64_t bytes = unsigned_leb(from);
      while (bytes-- > 0 && !from->bad) fixed(from, 1);
      return "";
    }
    default: from->bad = true; return "";
  }
}

// The entry of that number in a list of version 5, which `list` is behind then.
static const char *entry_at(const program *in, const unit *of, part *list, uint64_t wanted,
                            uint64_t *folder) {
  uint64_t kinds[forms_max], forms[forms_max];
  unsigned count = (unsigned)fixed(list, 1);
  for (unsigned at = 0; at < count; at++) {
    uint64_t kind = unsigned_leb(list), form = unsigned_leb(list);
    if (at < forms_max) kinds[at] = kind, forms[at] = form;
  }
  if (count > forms_max) list->bad = true;
  const char *found = "";
  uint64_t entries = unsigned_leb(list);
  for (uint64_t entry = 0; entry < entries && entry < files_max && !list->bad; entry++) {
    uint64_t in_folder = 0;
    const char *name = "";
    for (unsigned at = 0; at < count && !list->bad; at++) {
      uint64_t number = 0;
      const char *said = form_text(in, of, list, forms[at], &number);
      if (kinds[at] == 1) name = said;
      if (kinds[at] == 2) in_folder = number;
    }
    if (entry == wanted) found = name, *folder = in_folder;
  }
  return found;
}

static void join(char *to, size_t room, const char *outer, const char *folder, const char *name) {
  if (name[0] == '/' || (outer[0] == 0 && folder[0] == 0)) {
    snprintf(to, room, "%s", name);
  } else if (folder[0] == '/' || outer[0] == 0 || folder[0] == 0) {
    snprintf(to, room, "%s/%s", folder[0] ? folder : outer, name);
  } else {
    snprintf(to, room, "%s/%s/%s", outer, folder, name);
  }
}

static void name_file(const program *in, const unit *of, uint64_t file, char *to, size_t room) {
  uint64_t folder = 0, unused = 0;
  if (of->version >= 5) {
    part folders = of->folders, again = of->folders, files;
    const char *outer = entry_at(in, of, &folders, 0, &unused);
    files = folders;
    const char *name = entry_at(in, of, &files, file, &folder);
    const char *inner = folder == 0 ? "" : entry_at(in, of, &again, folder, &unused);
    join(to, room, outer, inner, name);
    return;
  }
  part folders = of->folders;
  const char *folder_names[folders_max];
  uint64_t count = 0;
  for (const char *name = text(&folders); name[0] != 0 && count + 1 < folders_max;
       name = text(&folders)) {
    folder_names[++count] = name;
  }
  const char *name = "";
  for (uint64_t at = 1; at <= file && !folders.bad; at++) {
    name = text(&folders);
    folder = unsigned_leb(&folders);
    unsigned_leb(&folders), unsigned_leb(&folders);
    if (name[0] == 0) return;
  }
  join(to, room, "", folder > 0 && folder <= count ? folder_names[folder] : "", name);
}

static bool begin_unit(part *from, unit *of) {
  uint64_t bytes = fixed(from, 4);
  of->wide = 4;
  if (bytes == 0xffffffff) {
    bytes = fixed(from, 8);
    of->wide = 8;
  }
  if (from->bad) return false;
  part body = cut(*from, 0, bytes);
  if (body.bad) return false;
  from->at = body.end;
  of->version = (unsigned)fixed(&body, 2);
  if (of->version >= 5) fixed(&body, 2);
  uint64_t header = fixed(&body, of->wide);
  part code = cut(body, header, (uint64_t)(body.end - body.at) - header);
  of->least_bytes = (uint8_t)fixed(&body, 1);
  if (of->version >= 4) fixed(&body, 1);
  fixed(&body, 1);
  of->line_base = (int8_t)fixed(&body, 1);
  of->line_range = (uint8_t)fixed(&body, 1);
  of->first_opcode = (uint8_t)fixed(&body, 1);
  for (unsigned at = 1; at < of->first_opcode; at++) of->operand_counts[at] = (uint8_t)fixed(&body, 1);
  of->folders = (part){body.at, code.at, false};
  of->code = code;
  bool known = of->version >= 2 && of->version <= 5 && of->line_range > 0 && of->first_opcode > 0;
  if (!known || code.bad || body.bad || header > bytes) of->code = (part){body.end, body.end, true};
  return true;
}

typedef struct row {
  uint64_t address, file;
  int64_t line;
  bool is_there;
} row;

// Whether the address lies between the row before and this one; the row before is its line then.
static bool covers(const row *before, uint64_t next, uint64_t address) {
  return before->is_there && before->address <= address && address < next;
}

static bool run(unit *of, uint64_t address, row *found) {
  part code = of->code;
  row now = {0, 1, 1, false};
  *found = now;
  while (code.at < code.end && !code.bad) {
    uint8_t opcode = (uint8_t)fixed(&code, 1);
    bool emits = false, ends = false;
    if (opcode >= of->first_opcode) {
      unsigned both = (unsigned)(opcode - of->first_opcode);
      now.address += (uint64_t)(both / of->line_range) * of->least_bytes;
      now.line += of->line_base + (int)(both % of->line_range);
      emits = true;
    } else if (opcode == 0) {
      uint64_t bytes = unsigned_leb(&code);
      part extended = cut(code, 0, bytes);
      if (extended.bad || bytes == 0) return false;
      code.at = extended.end;
      uint8_t which = (uint8_t)fixed(&extended, 1);
      if (which == 2) now.address = fixed(&extended, bytes - 1 < 8 ? (unsigned)(bytes - 1) : 8);
      emits = ends = which == 1;
    } else if (opcode == 1) {
      emits = true;
    } else if (opcode == 2) {
      now.address += unsigned_leb(&code) * of->least_bytes;
    } else if (opcode == 3) {
      now.line += signed_leb(&code);
    } else if (opcode == 4) {
      now.file = unsigned_leb(&code);
    } else if (opcode == 8) {
      now.address += (uint64_t)((255 - of->first_opcode) / of->line_range) * of->least_bytes;
    } else if (opcode == 9) {
      now.address += fixed(&code, 2);
    } else {
      for (unsigned at = 0; at < of->operand_counts[opcode]; at++) unsigned_leb(&code);
    }
    if (!emits) continue;
    if (covers(found, now.address, address)) return true;
    *found = now;
    found->is_there = !ends;
    if (ends) now = (row){0, 1, 1, false};
  }
  return false;
}

static bool line_at(const program *in, uint64_t address, char *file, size_t room, uint32_t *line) {
  part units = in->lines;
  unit of;
  row found;
  while (units.at < units.end && begin_unit(&units, &of)) {
    // Line 0 is code that no line of the source has asked for.
    if (!run(&of, address, &found) || found.line <= 0) continue;
    name_file(in, &of, found.file, file, room);
    *line = (uint32_t)found.line;
    return file[0] != 0;
  }
  return false;
}

typedef struct mapped {
  void *at;
  size_t bytes;
  int guard;
} mapped;

// Maps a program's file; false where it is no ELF that can be read here.
static bool open_program(const char *path, program *in, mapped *file) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  file->at = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
    file->bytes = (size_t)status.st_size;
    file->at = mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  if (file->at == MAP_FAILED) return false;
  // Whoever builds it anew meanwhile may cut it short.
  file->guard = cplatform_guard_mapping(file->at, file->bytes);
  *in = (program){.file = {file->at, (const uint8_t *)file->at + file->bytes, false}};
  const Elf64_Ehdr *header = file->at;
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
    header->e_shentsize == sizeof(Elf64_Shdr);
}

static void close_program(const mapped *file) {
  if (file->at == MAP_FAILED) return;
  cplatform_unguard_mapping(file->guard);
  munmap(file->at, file->bytes);
}

int cplatform_source_line(const char *path, uint64_t address, char *file, size_t file_room,
                          uint32_t *line, char *function, size_t function_room) {
  program in;
  mapped map = {.at = MAP_FAILED};
  int known = 0;
  file[0] = function[0] = 0;
  *line = 0;
  if (open_program(path, &in, &map)) {
    in.lines = named(&in, ".debug_line");
    in.line_texts = named(&in, ".debug_line_str");
    in.texts = named(&in, ".debug_str");
    if (line_at(&in, address, file, file_room, line)) known |= 1;
    if (function_at(&in, address, function, function_room)) known |= 2;
  }
  close_program(&map);
  return known;
}

// Where the loaded program has what stands at an offset of its file.
static bool loaded_address(const program *in, uint64_t offset, uint64_t *address) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)in->file.at;
  Elf64_Phdr segment;
  for (unsigned index = 0; index < header->e_phnum; index++) {
    part place = cut(in->file, header->e_phoff + (uint64_t)index * sizeof segment, sizeof segment);
    if (place.bad) return false;
    memcpy(&segment, place.at, sizeof segment);
    if (segment.p_type != PT_LOAD || offset < segment.p_offset) continue;
    if (offset - segment.p_offset >= segment.p_filesz) continue;
    *address = segment.p_vaddr + (offset - segment.p_offset);
    return true;
  }
  return false;
}

int cplatform_function_at(const char *path, uint64_t offset, char *name, size_t room) {
  program in;
  mapped map = {.at = MAP_FAILED};
  uint64_t address;
  name[0] = 0;
  int known = open_program(path, &in, &map) && loaded_address(&in, offset, &address) &&
    function_at(&in, address, name, room);
  close_program(&map);
  return known;
}
