/** The jobs that run: on the home page, loaded when there are any. */
export const words = {
  processing: 'Processing',
  all: (count: number) => `all ${count}`,
};
