/** What lets work go on beside others: `Endings`, `SmallVideos`. */
interface Place {
  use(letGo: () => void, work: (say: () => void) => Promise<void>): Promise<void>;
}

export interface Begun {
  /** What the work says to its place. */
  readonly say: () => void;
  readonly finish: () => void;
  readonly ended: Promise<void>;
}

/** Work that lasts until it is told to finish. */
export function beginIn(place: Place, letGo: () => void): Begun {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  let say!: () => void;
  const ended = place.use(letGo, (given) => {
    say = given;
    return promise;
  });
  return { say, finish, ended };
}
