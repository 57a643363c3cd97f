/** Captions and chapters of a video. */
export const words = {
  addCaptions: {
    chooseFile: 'Choose a file.',
    addCaptions: 'Add captions',
    uploadingFile: 'Uploading file…',
    add: 'Add',
  },
  captionDrop: {
    captionFile: 'Caption file',
    dropFileHere: 'Drop the file here',
    srtWebvttUtf8: 'SRT or WebVTT in UTF-8, at most 1 MB',
    chooseAnotherFile: 'Choose another file',
    chooseFile: 'Choose a file',
  },
  captionFields: {
    labelMenus: 'Label in menus',
    purpose: 'Purpose',
    deafHardHearingSdh: 'For the deaf and hard of hearing (SDH)',
    forcedOnlyForeignSpeech: 'Forced: only foreign speech and signs',
    chooseLanguage: 'Choose the language.',
    enterLabel: 'Enter a label.',
    anotherTrackHasLabel: 'Another track has this label.',
  },
  captionRow: {
    wasReplaced: (label: string) => `“${label}” was replaced.`,
    edit: 'Edit',
    edit2: (label: string) => `Edit ${label}`,
    replace: 'Replace',
    replace2: (label: string) => `Replace ${label}`,
    remove: 'Remove',
    remove2: (label: string) => `Remove ${label}`,
    uploadingFile: 'Uploading file…',
    deafHardHearing: 'for the deaf and hard of hearing',
    fromFile: 'from the file',
  },
  captions: {
    captions: 'Captions',
    addCaptions: 'Add captions',
    thereNoneYet: (isProcessed: boolean) =>
      `No captions yet.${isProcessed ? '' : ' Embedded captions are imported during processing.'}`,
    captionTracks: 'Caption tracks',
    wasAdded: (label: string) => `“${label}” was added.`,
    viewersNoLongerFind: (isFromFile: boolean) =>
      `Viewers can no longer choose these captions.${isFromFile ? ' Processing the file again does not restore them.' : ''}`,
    remove: (label: string) => `Remove “${label}”?`,
    remove2: 'Remove',
    wasRemoved: (label: string) => `“${label}” was removed.`,
  },
  chapterEditor: {
    chapters: 'Chapters',
    chapter: (number: number) => `Chapter ${number}`,
    start: 'Start',
    title: 'Title',
    remove: (title: string, number: number) => `Remove ${title || `chapter ${number}`}`,
    addChapter: 'Add a chapter',
    startsAtPlayersCurrent: 'It starts at the player’s current position.',
    savingChapters: 'Saving chapters…',
    save: 'Save',
  },
  chapters: {
    chaptersRemoved: 'Chapters removed',
    chaptersSaved: 'Chapters saved',
    chapters: 'Chapters',
    removeAll: 'Remove all',
    editChapters: 'Edit chapters',
    addChapters: 'Add chapters',
    edit: 'Edit',
    fromFile: 'from the file',
    thereNoneYet: (isProcessed: boolean) =>
      `No chapters yet.${isProcessed ? '' : ' Embedded chapters are imported during processing.'}`,
    showAll: (count: number) => `Show all ${count}`,
    viewersNoLongerFind: (isFromFile: boolean) =>
      `Viewers no longer see the chapters.${isFromFile ? ' Processing the file again does not restore them.' : ''}`,
    removeAllChapters: 'Remove all chapters?',
    remove: 'Remove',
  },
  editCaptions: {
    wasChanged: (label: string) => `“${label}” was changed.`,
    edit: (label: string) => `Edit ${label}`,
    save: 'Save',
  },
  formButtons: {
    cancel: 'Cancel',
  },
  languageSelect: {
    language: 'Language',
    chooseEnterTagSuch: 'Choose, or enter a tag such as pt-BR',
    noMatchingLanguage: 'No matching language',
  },
  videoCaptions: {
    captionsChapters: 'Captions and chapters',
    loadingCaptionsChapters: 'Loading captions and chapters',
  },
  captionFile: {
    chooseSrtWebvttFile: 'Choose an SRT or WebVTT file: its name ends in .srt or .vtt.',
    fileEmpty: 'This file is empty.',
    fileCaptionsCanUp: (size: string) => `This file is ${size}. Captions can be up to 1 MB.`,
  },
  chapterDrafts: {
    enterTitle: 'Enter a title.',
    enterTimeSuchAs: 'Enter a time such as 1:30.',
    anotherChapterStartsHere: 'Another chapter starts here.',
    videoEndsAt: (end: string) => `The video ends at ${end}.`,
  },
  languages: {
    unknownLanguage: 'Unknown language',
  },
};
