/** Lets work continue beside others: `Endings`, `SmallVideos`. */
interface Place {
  use(letGo: () => void, work: (say: () => void) => Promise<void>): Promise<void>;
}

export interface Begun {
  /** The work's signal to its place. */
  readonly say: () => void;
  readonly finish: () => void;
  readonly ended: Promise<void>;
}

/** Work that lasts until `finish` is called. */
export function beginIn(place: Place, letGo: () => void): Begun {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  let say!: () => void;
  const ended = place.use(letGo, (given) => {
    say = given;
    return promise;
  });
  return { say, finish, ended };
}
