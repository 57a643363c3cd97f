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
    /** By the worker's name of the step. */
    steps: {
      starting: 'starting',
      listening: 'measuring loudness',
      encoding: 'encoding',
      measuring: 'checking quality',
      storing: 'storing',
    },
    anotherStep: 'working',
    playingSpeed: (speed: string) => ` · ${speed}× playing speed`,
  },
  videoCard: {
    chooseQuality: 'choose a quality',
  },
};
