/**
 * Imported first, for its side effect: ends a process whose Node.js lacks what the service uses, before anything else
 * loads.
 */
import { nodeVersionFault } from './nodeVersion.js';

const fault = nodeVersionFault(process.versions.node);
if (fault !== null) {
  process.stderr.write(`dhara: ${fault}\n`);
  process.exit(1);
}
