// SPDX-License-Identifier: Apache-2.0

/// A recording to walk through: a draft is edited, not saved, and purged.
let lostDraftStory = """
  app notes#1 pid=12 profile=ios13
  +0s     notes#1 main process.start reason=icon app=notes
  +0.2s   notes#1 main state.transition from=not-running to=inactive cause=launch
  +0.3s   notes#1 main state.transition from=inactive to=active cause=launch
  +1s     notes#1 main data.dirty draft.txt version=1 bytes=900 @Notes/Editor.swift:41
  +1.2s   notes#1 main data.durable draft.txt version=1 level=disk bytes=900
  +2.104s notes#1 main data.dirty draft.txt version=2 bytes=1204 @Notes/Editor.swift:41
  +3s     notes#1 main state.transition from=active to=inactive cause=home
  +3.1s   notes#1 main state.transition from=inactive to=background cause=home
  +3.5s   notes#1 main state.suspend by=host
  +9s     notes#1 main state.purge cause=memory by=host

  """
