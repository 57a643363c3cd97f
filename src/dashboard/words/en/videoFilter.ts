/** The filter by video of the ledger and of analytics. */
export const words = {
  deletedVideo: 'Deleted video',
  video: 'Video',
  all: 'All',
  allVideos: 'All videos',
  noMatchingTitles: 'No matching titles',
};
