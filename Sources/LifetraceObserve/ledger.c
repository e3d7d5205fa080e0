// SPDX-License-Identifier: Apache-2.0
//
// The ledger of files that `data` names: a version is made by the first write after a sync, is durable
// at kernel level with that write, and at disk level with the sync that begins after it.
//
// Further writes before that sync belong to the same version: all of them go with the power, or none
// is known to stay. Versions count up over all processes of a recording (versions.c).
//
// A file that is emptied, and whose saves are known to empty it, write it and close it, holds neither what
// was saved before nor what is to be until it is closed: that is a save under way.

#include "observe.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic uint32_t folders_needed;

static uint64_t bytes_of(const lo_file *base, int descriptor) {
  struct stat status;
  int result = descriptor >= 0 ? fstat(descriptor, &status) : stat(base->path, &status);
  return result == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

// Whether its versions are told here: the program may report an object of that name itself.
static bool is_told(lo_file *base) {
  return base->is_data && lo_sdk()->is_recorded(true) && lo_sdk()->version_of(lo_name_of(base)) == 0;
}

static void tell_durable(lo_file *base, uint32_t site, uint32_t level, uint64_t bytes) {
  lo_emit(LT_KIND_DATA_DURABLE, site, lo_name_of(base), 4, base->version, level, bytes, 0);
}

// Under the lock. What stands in the file now is a version of its own; `replaces` where nothing of what
// stood there is left.
static void make_version(lo_file *base, int descriptor, const char *what, uint32_t level,
                         bool replaces, uintptr_t caller) {
  if (!is_told(base)) return;
  lo_number_version(base);
  base->is_failed = false;
  uint64_t bytes = bytes_of(base, descriptor);
  uint32_t site = lo_site(what, caller);
  lo_emit(LT_KIND_DATA_DIRTY, site, lo_name_of(base), 3, base->version, bytes, 0, 0);
  if (replaces && base->unread > 0) {
    lo_emit(LT_KIND_DATA_FLUSHING, site, lo_name_of(base), 3, base->version, bytes, base->unread, 0);
  }
  tell_durable(base, site, level, bytes);
}

// Whether a write to this file is an edit of its object: the journal holds what was, the database
// behind a log is brought up to date only.
static bool is_edit(const lo_file *file) {
  return file->part == LO_LOG || (file->part == LO_WHOLE && !file->is_log_open);
}

static void wrote(lo_file *file, int descriptor, uint32_t flags, uintptr_t caller) {
  lo_file *base = file->base;
  if (!is_edit(file)) return;
  if (file != base) lo_forget_looks(base);
  if (base->is_rewritten) return atomic_store(&base->is_unsynced, true);
  bool replaces = base == file && (flags & LO_EMPTIED) != 0;
  bool is_synced = (flags & LO_SYNCS) != 0;
  if (is_synced) {
    make_version(base, base == file ? descriptor : -1, "write", LT_LEVEL_DISK, replaces, caller);
  } else if (!base->is_unsynced) {
    make_version(base, base == file ? descriptor : -1, "write", LT_LEVEL_KERNEL, replaces, caller);
    atomic_store(&base->is_unsynced, true);
  }
  // An end before the file is synced or closed leaves it as it looks now.
  if (base == file && base->is_data) lo_keep_look(base, descriptor, is_synced);
}

void lo_wrote_slow(lo_file *file, int descriptor, uintptr_t caller) {
  if (!lo_enter()) return;
  lo_lock();
  uint32_t flags = atomic_fetch_or(&lo_descriptors_of[descriptor].flags, LO_WRITE_SEEN);
  wrote(file, descriptor, flags, caller);
  lo_unlock();
  lo_leave();
}

// Under the lock.
static void look(lo_file *file, int descriptor, uint32_t flags, const struct stat *status,
                 uintptr_t caller) {
  lo_file *base = file->base;
  if (!file->is_data || (flags & LO_WRITABLE) == 0 || !is_edit(file)) return;
  uint64_t time =
      (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
  bool changed = time != file->time_seen || (uint64_t)status->st_size != file->size_seen;
  // A new file without content is no version of anything, nor is what a write that failed has left.
  bool is_new = status->st_size == 0 && base->version == 0 && !lo_has_versions(base->path);
  bool is_other = changed && !is_new && !base->is_failed;
  if ((flags & LO_WRITE_SEEN) == 0 && is_other) wrote(file, descriptor, flags, caller);
  file->time_seen = time;
  file->size_seen = (uint64_t)status->st_size;
  if (file == base) lo_keep_look(base, descriptor, false);
}

// ---------------------------------------------------------------- saves in place

// Under the lock. Whoever empties a file once and appends to it from then on saves with each write.
void lo_emptied(lo_file *file, uintptr_t caller) {
  if (file->base != file || !is_edit(file) || !lo_is_rewritten_often(file) || !is_told(file)) return;
  lo_number_version(file);
  uint32_t site = lo_site("truncation", caller);
  lo_emit(LT_KIND_DATA_DIRTY, site, lo_name_of(file), 3, file->version, 0, 0, 0);
  lo_emit(LT_KIND_DATA_FLUSHING, site, lo_name_of(file), file->unread > 0 ? 3 : 2, file->version, 0,
          file->unread, 0);
  file->is_failed = false;
  file->is_rewritten = true;
  atomic_store(&file->is_unsynced, true);
}

// Under the lock. What stands there now is what was to be saved.
static void end_rewrite(lo_file *base, int descriptor, const char *what, uintptr_t caller) {
  if (!base->is_rewritten) return;
  base->is_rewritten = false;
  if (!is_told(base)) return;
  tell_durable(base, lo_site(what, caller), LT_LEVEL_KERNEL, bytes_of(base, descriptor));
  lo_keep_look(base, descriptor, false);
}

void lo_rewrite_closed(lo_file *file, int descriptor, uint32_t flags, uintptr_t caller) {
  if ((flags & LO_EMPTIED) == 0) return;
  if (bytes_of(file, descriptor) > 0) lo_count_rewrite(file);
  end_rewrite(file, descriptor, "close", caller);
}

// The end of the process closes what is open.
__attribute__((destructor)) static void at_exit(void) {
  if (!lo_has_data || !lo_enter()) return;
  lo_lock();
  for (uint32_t at = 0; at < lo_files_max; at++) end_rewrite(lo_file_at(at), -1, "exit", 0);
  lo_unlock();
  lo_leave();
}

void lo_look_again(lo_file *file, int descriptor, uintptr_t caller) {
  struct stat status;
  if (!file->is_data || fstat(descriptor, &status) != 0) return;
  uint32_t flags = atomic_load(&lo_descriptors_of[descriptor].flags);
  lo_lock();
  look(file, descriptor, flags, &status, caller);
  lo_unlock();
}

lo_stream lo_stream_closing(int descriptor) {
  lo_stream stream = {lo_file_of(descriptor), 0};
  if (stream.file == NULL || !lo_enter()) return (lo_stream){NULL, 0};
  stream.flags = atomic_load(&lo_descriptors_of[descriptor].flags);
  // It is kept from being forgotten until the look behind the close.
  lo_lock();
  lo_drop(descriptor);
  stream.file->references++;
  lo_unlock();
  lo_leave();
  return stream;
}

void lo_stream_closed(lo_stream stream, uintptr_t caller) {
  struct stat status;
  lo_file *file = stream.file;
  if (file == NULL || !lo_enter()) return;
  lo_lock();
  if (stat(file->path, &status) == 0 && (uint64_t)status.st_ino == file->inode &&
      (uint64_t)status.st_dev == file->device) {
    look(file, -1, stream.flags, &status, caller);
    lo_rewrite_closed(file, -1, stream.flags, caller);
  }
  file->references--;
  lo_locks_closed(file, caller);
  lo_unlock();
  lo_leave();
}

// ---------------------------------------------------------------- syncs

lo_sync lo_syncing(int descriptor, uintptr_t caller) {
  lo_sync sync = {NULL, 0, false, false};
  lo_file *file = lo_file_of(descriptor);
  if (file == NULL) {
    sync.is_folder = lo_is_on && atomic_load_explicit(&folders_needed, memory_order_relaxed) > 0;
    return sync;
  }
  if (!is_edit(file) || !lo_enter()) return sync;
  lo_look_again(file, descriptor, caller);
  lo_lock();
  end_rewrite(file->base, file == file->base ? descriptor : -1, "fsync", caller);
  sync.file = file;
  sync.version = file->base->version;
  // A write from here on makes a version of its own.
  sync.was_unsynced = atomic_exchange(&file->base->is_unsynced, false);
  lo_unlock();
  lo_leave();
  return sync;
}

static void folder_done(lo_file *base) {
  if (!base->needs_folder) return;
  base->needs_folder = false;
  atomic_fetch_sub(&folders_needed, 1);
}

static void folder_synced(const char *folder, uintptr_t caller) {
  size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  for (uint32_t at = 0; at < lo_files_max; at++) {
    lo_file *base = lo_file_at(at);
    if (!base->needs_folder || strncmp(base->path, folder, bytes) != 0) continue;
    if (base->path[bytes] != '/' || strchr(base->path + bytes + 1, '/') != NULL) continue;
    folder_done(base);
    if (base->is_unsynced || !is_told(base)) continue;
    tell_durable(base, lo_site("fsync of the folder", caller), LT_LEVEL_DISK, bytes_of(base, -1));
    lo_keep_look(base, -1, true);
  }
}

static void fail(lo_file *base, uint64_t version, int error, const char *why, uintptr_t caller) {
  if (!is_told(base)) return;
  lo_emit(LT_KIND_DATA_FAILED, lo_site(why, caller), lo_name_of(base), 3, version,
          (uint64_t)error, lo_sdk()->name(why, strlen(why)), 0);
}

// The disk is full, or broken: what was to be written is in memory only. Where its file was emptied for
// it, or holds a part of it, how that looks tells no version.
void lo_write_failed(lo_file *file, int descriptor, int error, uintptr_t caller) {
  bool is_disk = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  if (!is_disk || !is_edit(file) || !lo_enter()) return;
  lo_lock();
  lo_file *base = file->base;
  // A write that succeeds behind it makes a version of its own.
  uint32_t flags = atomic_fetch_and(&lo_descriptors_of[descriptor].flags, ~(uint32_t)LO_WRITE_SEEN);
  if ((flags & LO_WRITE_SEEN) != 0 && base->is_unsynced) lo_forget_looks(base);
  atomic_store(&base->is_unsynced, false);
  if (is_told(base)) {
    // The first part of that version may have been written, and told.
    if ((flags & LO_WRITE_SEEN) == 0 && !base->is_rewritten) {
      lo_number_version(base);
      lo_emit(LT_KIND_DATA_DIRTY, lo_site("write", caller), lo_name_of(base), 3, base->version, 0, 0,
              0);
    }
    fail(base, base->version, error, "write", caller);
    base->is_failed = true;
    base->is_rewritten = false;
  }
  lo_unlock();
  lo_leave();
}

void lo_synced(lo_sync sync, int descriptor, int error, uintptr_t caller) {
  if ((sync.file == NULL && !sync.is_folder) || !lo_enter()) return;
  lo_lock();
  if (sync.is_folder) {
    char link[32], folder[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = error == 0 ? readlink(link, folder, sizeof folder - 1) : -1;
    folder[count > 0 ? count : 0] = 0;
    if (count > 0) folder_synced(folder, caller);
  } else if (error != 0) {
    lo_file *base = sync.file->base;
    if (sync.was_unsynced) atomic_store(&base->is_unsynced, true);
    fail(base, sync.version, error, "fsync", caller);
  } else {
    lo_file *base = sync.file->base;
    bool is_news = (sync.was_unsynced || base->needs_folder) && !base->is_failed;
    folder_done(base);
    if (is_news && base->version == sync.version && sync.version > 0 && is_told(base)) {
      tell_durable(base, lo_site("fsync", caller), LT_LEVEL_DISK,
                   bytes_of(base, sync.file == base ? descriptor : -1));
      if (!base->is_unsynced) lo_keep_look(base, sync.file == base ? descriptor : -1, true);
    } else if (is_news && sync.version > 0 && is_told(base)) {
      // A newer one was made meanwhile.
      lo_emit(LT_KIND_DATA_DURABLE, lo_site("fsync", caller), lo_name_of(base), 4, sync.version,
              LT_LEVEL_DISK, 0, 0);
    }
  }
  lo_unlock();
  lo_leave();
}

void lo_synced_all(uintptr_t caller) {
  if (!lo_has_data || !lo_enter()) return;
  lo_lock();
  for (uint32_t at = 0; at < lo_files_max; at++) {
    lo_file *base = lo_file_at(at);
    if (base->path[0] == 0 || base->base != base || !base->is_data) continue;
    bool is_news = atomic_exchange(&base->is_unsynced, false) || base->needs_folder;
    folder_done(base);
    if (is_news && base->version > 0 && is_told(base)) {
      tell_durable(base, lo_site("sync", caller), LT_LEVEL_DISK, bytes_of(base, -1));
      lo_keep_look(base, -1, true);
    }
  }
  lo_unlock();
  lo_leave();
}

// ---------------------------------------------------------------- names

static void discard(lo_file *base, const char *what, uintptr_t caller) {
  // The newest, whichever process has made it.
  base->version = base->known = lo_newest_version(base);
  lo_mark_removed(base);
  if (base->version > 0 && is_told(base)) {
    lo_emit(LT_KIND_DATA_DISCARDED, lo_site(what, caller), lo_name_of(base), 1, base->version, 0, 0,
            0);
  }
  atomic_store(&base->is_unsynced, false);
  base->is_rewritten = false;
  folder_done(base);
}

// The file of that name, which this process knows, or of which another one has made versions; else NULL.
static lo_file *held_file(const char *path) {
  lo_below below;
  bool is_held = lo_has_versions(path) && lo_find_root(path, &below) && lo_is_data(path, &below);
  return is_held ? lo_file_named(path) : lo_known_file(path);
}

// A file of another name takes the object's place: a version, which survives a power cut when its
// bytes were synced before and the folder is after. Without `from` it is a link, which replaces nothing.
void lo_renamed(const char *from, const char *to, uintptr_t caller) {
  if (!lo_has_data || !lo_enter()) return;
  lo_lock();
  lo_file *old = from ? held_file(from) : NULL;
  lo_below below;
  bool is_data = lo_find_root(to, &below) && lo_is_data(to, &below);
  lo_file *new = is_data ? lo_file_named(to) : lo_known_file(to);
  bool is_unsynced = old != NULL && old->base == old && old->is_unsynced;
  if (old != NULL && old->is_data && old->part == LO_WHOLE && old != new) discard(old, "rename", caller);
  if (old != NULL && !old->is_data) atomic_store(&old->is_unsynced, false);
  if (new != NULL && new->is_data && new->part == LO_WHOLE && old != new) {
    atomic_store(&new->is_unsynced, false);
    new->is_rewritten = false;
    // Through a descriptor that is open, its content may be known.
    bool replaces = from != NULL && new->references == 0;
    make_version(new, -1, is_unsynced ? "rename without fsync" : "rename", LT_LEVEL_KERNEL, replaces,
                 caller);
    atomic_store(&new->is_unsynced, is_unsynced);
    if (!new->needs_folder) atomic_fetch_add(&folders_needed, 1);
    new->needs_folder = true;
    lo_keep_look(new, -1, false);
  }
  if (old != NULL && new != NULL && old != new) lo_move_descriptors(old, new);
  lo_unlock();
  lo_leave();
}

void lo_removed(const char *path, uintptr_t caller) {
  if (!lo_has_data || !lo_enter()) return;
  lo_lock();
  lo_file *file = held_file(path);
  if (file != NULL && file->part == LO_WHOLE) discard(file, "unlink", caller);
  lo_unlock();
  lo_leave();
}

void lo_tell_restored(lo_file *file, int descriptor, uintptr_t caller) {
  struct stat status;
  // Again where another process has made a version since.
  uint64_t newest = lo_newest_version(file);
  if ((file->restored_told || file->version > 0) && newest <= file->known) return;
  file->restored_told = true;
  if (!lo_has_versions(file->path) || fstat(descriptor, &status) != 0) return;
  file->known = newest;
  // Where it is not known which version stands there, it is told that something does, or nothing.
  if (!is_told(file)) return;
  file->version = lo_version_by_look(file, &status);
  lo_emit(LT_KIND_DATA_RESTORED, lo_site("open", caller), lo_name_of(file), 3,
          file->version, (uint64_t)status.st_size, 0, 0);
}

// What has removed a file that had versions may not be observed: its site is called otherwise, for the
// rules to weigh that.
void lo_tell_missing(const char *path, uintptr_t caller) {
  lo_below below;
  if (!lo_find_root(path, &below) || !lo_is_data(path, &below)) return;
  lo_lock();
  lo_file *file = lo_file_named(path);
  // Whatever has taken it, a power cut too: who makes it anew writes over nothing.
  if (file != NULL && file->part == LO_WHOLE) lo_mark_removed(file);
  bool is_news = file != NULL && file->part == LO_WHOLE && !file->restored_told && file->version == 0;
  if (is_news && is_told(file)) {
    file->restored_told = true;
    const char *how = lo_has_versions(path) ? "gone" : "open";
    lo_emit(LT_KIND_DATA_RESTORED, lo_site(how, caller), lo_name_of(file), 3, 0, 0, 0, 0);
  }
  lo_unlock();
}
