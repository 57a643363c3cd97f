import type { SourceProbe } from '../ports/transcoder.js';
import type { Progress } from './progressReporter.js';
import { workOf, type Stage, type StagePlan } from '../domain/media/pipeline/stages.js';

/** The share of a stage's progress that is encoding; storing the files is the rest. */
const ENCODE_SHARE = 0.97;

/** One progress bar across all stages of a video, including those of earlier runs. It never goes back. */
export class StageProgress {
  private readonly durationSeconds: number;
  private readonly works: readonly number[];
  private readonly doneWork: number;
  private readonly totalWork: number;
  private percent = 0;

  constructor(stages: readonly Stage[], plan: Omit<StagePlan, 'probe'> & { readonly probe: SourceProbe }) {
    const { renditions, probe, published } = plan;
    this.durationSeconds = probe.durationMs / 1000;
    this.works = stages.map((stage) => workOf(stage, probe));
    const done = renditions.filter(({ quality }) => published.renditions.includes(quality));
    this.doneWork = workOf({ renditions: done, pictures: published.pictures }, probe);
    this.totalWork = this.works.reduce((sum, work) => sum + work, this.doneWork);
  }

  /** Progress of the whole video while a stage is encoded. */
  encoding(index: number, progress: Progress): Progress {
    const { speed, etaSeconds } = progress;
    const percent = this.percentAt(index, (progress.percent / 100) * ENCODE_SHARE);
    const laterSeconds = speed === null ? null : (this.durationSeconds / speed) * this.laterShare(index);
    // Without the stage's own estimate, its speed is not known well enough to tell that of the others.
    const eta = etaSeconds === null || laterSeconds === null ? null : Math.ceil(etaSeconds + laterSeconds);
    return { ...progress, percent, etaSeconds: eta };
  }

  /** Progress of the whole video while a stage is stored. @param share 0 to 1 */
  storing(index: number, share: number): Progress {
    const percent = this.percentAt(index, ENCODE_SHARE + (1 - ENCODE_SHARE) * share);
    return { step: 'storing', percent, speed: null, etaSeconds: null };
  }

  /** The work of all later stages, as a multiple of this stage's. */
  private laterShare(index: number): number {
    const later = this.works.slice(index + 1).reduce((sum, work) => sum + work, 0);
    return later / this.works[index]!;
  }

  private percentAt(index: number, share: number): number {
    const before = this.works.slice(0, index).reduce((sum, work) => sum + work, this.doneWork);
    const percent = (100 * (before + this.works[index]! * share)) / this.totalWork;
    this.percent = Math.max(this.percent, percent);
    return this.percent;
  }
}
