/** Statuses and qualities of videos, shown on several pages. */
export const words = {
  awaitingUpload: 'Awaiting upload',
  uploading: 'Uploading',
  uploaded: 'Uploaded',
  queued: 'Queued',
  processing: 'Processing',
  ready: 'Ready',
  failed: 'Failed',
  audioOnly: 'Audio only',
  analyzing: 'Analyzing',
  needsCredits: 'Needs credits',
  processingProgress: {
    processing: (title: string) => `Processing ${title}`,
    percent: (percent: number) => `${percent} percent`,
    queued: 'Queued',
    playingSpeed: (speed: string) => ` · ${speed}× playing speed`,
  },
  videoCard: {
    chooseQuality: 'choose a quality',
  },
};
