import { Admission } from '../../../src/domain/media/pipeline/admission.js';
import type { Database } from '../../../src/db/sql.js';

/** Admission to one work folder with exactly this much free space. */
export function admissionOf(db: Database, freeBytes: number, takesSource: boolean): Admission {
  return new Admission({
    db,
    marginBytes: 0,
    volumes: [{ name: 'work folder', takesSource, freeBytes: () => Promise.resolve(freeBytes) }],
  });
}
