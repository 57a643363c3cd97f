import { Admission } from '../../../src/domain/media/pipeline/admission.js';
import type { Database } from '../../../src/db/sql.js';

/** A work folder with so much room to the byte. */
export function roomOf(db: Database, freeBytes: number, takesSource: boolean): Admission {
  return new Admission({
    db,
    marginBytes: 0,
    volumes: [{ name: 'work folder', takesSource, freeBytes: () => Promise.resolve(freeBytes) }],
  });
}
