import type { Making } from '../../domain/media/pipeline/admission.js';
import { demandOf, type SmallVideoLimits } from '../../domain/media/pipeline/smallVideo.js';
import type { JobRun, VideoRun } from '../../ports/jobSource.js';
import { MemoryBudget } from './memoryBudget.js';
import { Slots } from './slots.js';
import { SmallVideos } from './smallVideos.js';

export interface SchedulerOptions {
  /**
   * How many videos, and chunks of other workers' videos, are encoded at once. One small video beside each comes on
   * top.
   */
  readonly concurrency: number;
  /** Memory budget for all of them. */
  readonly budgetBytes: number;
  readonly cores: number;
  /** See {@link SMALL_VIDEO_PIXELS}. */
  readonly smallVideoPixels?: number | undefined;
}

interface VideoRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
}

/** A job that this worker holds. */
export interface ScheduledJob extends VideoRef {
  readonly kind: 'video' | 'chunk';
  /** `ending`: encoded, and now being stored and settled. */
  readonly phase: 'waiting' | 'encoding' | 'ending';
  /** Estimated memory; `null` until it is known. */
  readonly bytes: number | null;
  /** A small video runs beside another one, and its memory is not counted. */
  readonly isSmall: boolean;
}

/** For a video that no longer exists. */
const NOTHING = { bytes: 0, isSmall: false };

/**
 * Decides when each job of this worker is encoded. A job waits for a slot, videos before chunks. A job that finds no
 * memory goes back to the queue. A small video frees its slot as soon as there is a place beside the slots. Every video
 * frees its slot when its encode is over; storing and settling need none.
 */
export class Scheduler {
  private readonly slots: Slots;
  private readonly memory: MemoryBudget;
  private readonly endings: Endings;
  private readonly smallVideos: SmallVideos;
  private readonly limits: SmallVideoLimits;
  private readonly inHand = new Set<ScheduledJob>();

  constructor(private readonly options: SchedulerOptions) {
    const { concurrency, budgetBytes, smallVideoPixels: pixels } = options;
    this.slots = new Slots(concurrency);
    this.memory = new MemoryBudget(budgetBytes);
    this.endings = new Endings(concurrency);
    this.smallVideos = new SmallVideos(concurrency);
    this.limits = { max: concurrency, pixels, budgetBytes };
  }

  /** The jobs that this worker holds, in order of arrival. */
  get jobs(): readonly ScheduledJob[] {
    return [...this.inHand].map((job) => ({ ...job }));
  }

  /**
   * @param making what the job makes; `null` if nothing is left to make
   * @param work reports when nothing is left to encode
   * @throws NoMemoryError before the work starts; the signal's reason if it aborts while waiting
   */
  video(
    job: VideoRun,
    making: () => Promise<Making | null>,
    work: (onEncoded: () => void) => Promise<void>,
  ): Promise<void> {
    return this.keep('video', job.data, (state) =>
      this.slots.use('video', job.signal, (leave) =>
        this.inMemory(state, making, (giveBack) => {
          const letGo = (): void => {
            leave();
            job.takeNext();
          };
          const run = (isOver: () => void): Promise<void> =>
            this.endings.use(() => {
              letGo();
              giveBack();
              isOver();
              state.phase = 'ending';
            }, work);
          return state.isSmall ? this.smallVideos.use(letGo, run) : run(() => undefined);
        }),
      ),
    );
  }

  /**
   * Like `video`, for chunks of another worker's video.
   *
   * @param work may ask whether a video waits for this slot
   */
  chunk(
    job: JobRun<VideoRef>,
    making: () => Promise<Making | null>,
    work: (videoWaits: () => boolean) => Promise<void>,
  ): Promise<void> {
    return this.keep('chunk', job.data, (state) =>
      this.slots.use('chunk', job.signal, () => this.inMemory(state, making, () => work(() => this.slots.videoWaits))),
    );
  }

  private async keep(
    kind: ScheduledJob['kind'],
    { accountId, videoId }: VideoRef,
    run: (state: State) => Promise<void>,
  ): Promise<void> {
    const state: State = { kind, accountId, videoId, phase: 'waiting', bytes: null, isSmall: false };
    this.inHand.add(state);
    try {
      await run(state);
    } finally {
      this.inHand.delete(state);
    }
  }

  private async inMemory(
    state: State,
    making: () => Promise<Making | null>,
    work: (giveBack: () => void) => Promise<void>,
  ): Promise<void> {
    const made = await making();
    const { bytes, isSmall } = made === null ? NOTHING : demandOf(made, this.options.cores, this.limits);
    Object.assign(state, { bytes, isSmall });
    const key = [state.kind, state.accountId, state.videoId].join(':');
    // Small jobs bypass the memory budget.
    await this.memory.use(key, isSmall ? 0 : bytes, (giveBack) => {
      state.phase = 'encoding';
      return work(giveBack);
    });
  }
}

type State = { -readonly [Field in keyof ScheduledJob]: ScheduledJob[Field] };

/**
 * Counts videos that are encoded and now being stored and settled, while the next ones are encoded. There are at most
 * as many as slots: with a slow store, this worker must not hold videos that another worker could process.
 */
export class Endings {
  private count = 0;

  constructor(private readonly max: number) {}

  /**
   * @param letGo called when the work reports that its encode is over, if one more may start
   * @param work receives the function that reports it
   */
  async use<T>(letGo: () => void, work: (onEnd: () => void) => Promise<T>): Promise<T> {
    let isEnding = false;
    let isOver = false;
    const onEnd = (): void => {
      if (isEnding || isOver || this.count >= this.max) return;
      isEnding = true;
      this.count += 1;
      letGo();
    };
    try {
      return await work(onEnd);
    } finally {
      isOver = true;
      if (isEnding) this.count -= 1;
    }
  }
}
