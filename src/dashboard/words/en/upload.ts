import type { ReactNode } from 'react';
import { counted } from './counted.js';
import { rich, type Wrap } from '../rich.js';

export const words = {
  continueUpload: {
    uploadIncomplete: 'Upload incomplete',
    uploadStartedOnAnother: (size: string, expiresAt: string) =>
      `The upload started on another page or device. Choose the same file (${size}) before ${expiresAt} to resume.`,
    uploadHasExpiredDelete: 'Its upload has expired. Delete this video and upload the file again.',
    chooseFile: 'Choose file',
    fileHasDifferentSize: 'This file has a different size.',
  },
  draftForm: {
    testNote:
      'A test video has at most 60 seconds and 200 MB. It is processed in 480p with the word TEST on it, costs nothing, and is deleted after 7 days.',
    newVideo: 'New video',
    newVideos: (count: number) => counted(count, 'new video'),
    quality: 'Quality',
    qualityAll: 'Quality of all',
    appliesAllFilesCan: (count: number) => `Applies to all ${counted(count, 'file')}. You can change each one.`,
    appliesFilesOwn1: (count: number, total: number, own: number) =>
      `Applies to ${count} of ${counted(total, 'file')}; ${own === 1 ? 'one has its own options' : `${own} have their own options`}.`,
    upload: 'Upload',
    uploadFiles: (count: number) => `Upload ${counted(count, 'file')}`,
    left: (count: number) => `${count} left`,
  },
  draftFunding: {
    debt: (owed: string) => `You owe ${owed} credits. Processing starts once they are paid.`,
    paysFor: (minutes: number, rate: string, isMasterUsed: boolean) =>
      isMasterUsed
        ? `Creative and Master pay for ${counted(minutes, 'minute')} of video at ${rate} credits a minute.`
        : `Creative pays for ${counted(minutes, 'minute')} of video at ${rate} credits a minute.`,
    tooLow: (rate: string, isMasterUsed: boolean) =>
      `${isMasterUsed ? 'Creative and Master have' : 'Creative has'} too few credits for a minute at ${rate}. After the upload, processing waits for credits.`,
    /** For files that could be measured before the upload. */
    costs: (credits: string, known: number, files: number) =>
      known === files
        ? `About ${credits} credits.`
        : `About ${credits} credits for ${known} of ${counted(files, 'file')}.`,
    covered: (cost: string, isMasterUsed: boolean) =>
      `${cost} ${isMasterUsed ? 'Creative and Master cover it.' : 'Creative covers it.'}`,
    missing: (cost: string, missing: string, isMasterUsed: boolean) =>
      `${cost} ${isMasterUsed ? 'Creative and Master are' : 'Creative is'} ${missing} credits short. After the upload, processing waits for credits.`,
    addCredits: 'Add credits',
    payInWallet: 'Pay in the wallet',
  },
  draftRow: {
    title: 'Title',
    remove: (name: string) => `Remove ${name}`,
    aboutCredits: (credits: string) => `about ${credits} credits`,
    creditsPerMinute: (rate: string) => `${rate} credits per minute`,
    needsApproval: 'needs approval',
    quality: 'Quality',
  },
  dropArea: {
    videoAudioFiles: 'Video or audio files',
    chooseVideoAudioFiles: 'Choose video or audio files, or drop them here',
    dropFilesHereChoose: 'Drop files here, or choose them',
    mp4MovMkv: 'MP4, MOV, MKV, WebM, MPEG, AVI, WMV, FLV, MXF, DV, GIF, MP3, AAC, WAV, FLAC, Ogg',
  },
  uploadCard: {
    upload: (title: string) => `Upload of ${title}`,
    uploading: (title: string) => `Uploading ${title}`,
    percent: (percent: number) => `${percent} percent`,
    open: 'Open',
    pause: (title: string) => `Pause ${title}`,
    resume: (title: string) => `Resume ${title}`,
    removeFromList: (title: string) => `Remove ${title} from this list`,
    cancelUpload: (title: string) => `Cancel the upload of ${title}`,
    uploadedPartVideoDeleted: (title: string) => `The uploaded part of “${title}” and its video are deleted.`,
    cancelUploadTitle: 'Cancel this upload?',
    confirmCancelUpload: 'Cancel upload',
    keepUploading: 'Keep uploading',
    chooseAgain: (fileName: string) => `Choose ${fileName} again`,
    thatsDifferentFileHas: 'That’s a different file, or it has changed.',
    of: (percent: number, size: string) => `${percent}% of ${size}`,
    offlineResumesAutomatically: (sent: string) => `${sent} · offline; resumes automatically`,
    queued: (sent: string) => `${sent} · queued`,
    paused: (sent: string) => `${sent} · paused`,
    interruptedChooseSameFile: (sent: string) => `${sent} · interrupted. Choose the same file to resume.`,
    uploaded: (sizeBytes: string) => `${sizeBytes} · uploaded`,
    rejected: (sizeBytes: string) => `${sizeBytes} · can’t be used`,
  },
  uploadOutcome: {
    processingStartsMoment: 'Processing starts in a moment.',
    processingFailed: 'Processing failed.',
    creditsSetAside: (choice: string, price: string) => `${choice}: ${price} credits set aside`,
    readyPlay: (link: Wrap) => rich`Ready to play. ${link('Watch it')}`,
    measuringLengthGetPrice: 'Measuring its length to get the price.',
  },
  uploadPage: {
    uploadResumed: 'The upload resumed.',
    uploadsResumed: (resumed: number) => `${counted(resumed, 'upload')} resumed.`,
    upload: 'Upload',
    uploadsResumeAfterLost: 'Uploads resume after a lost connection or a closed tab.',
  },
  uploadsBill: {
    totalCost: 'Total cost',
    yes: (count: number, price: ReactNode, isTotal: boolean) =>
      rich`${counted(count, 'file')} ${count === 1 ? 'needs' : 'need'} approval: ${price}${isTotal ? ' in total' : ''}`,
    credits: (total: string) => `${total} credits`,
    gettingPrices: 'getting prices',
    beingProcessedCreditsSet: (count: number, credits: string) =>
      `Processing ${counted(count, 'file')}: ${credits} credits set aside`,
    processAll: (count: number) => `Process all ${count}`,
  },
  uploadsSummary: {
    uploads: 'Uploads',
    pauseAll: 'Pause all',
    resumeAll: 'Resume all',
    clearFinished: 'Clear finished',
    filesUploaded: (count: number) => `${counted(count, 'file')} uploaded`,
    go: (count: number) => `${counted(count, 'file')} left`,
  },
  wishesFields: {
    lowerQualitiesIncludedVideos: 'Lower qualities are included. Videos are never upscaled.',
    processAutomatically: 'Process automatically',
    turnOffApproveEach: 'Turn off to approve each price first.',
  },
};
