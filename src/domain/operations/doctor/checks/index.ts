import type { Check } from '../check.js';
import type { Machine, Services } from '../services.js';
import { machineChecks } from './machineChecks.js';
import { moneyChecks } from './moneyChecks.js';
import { processingChecks } from './processingChecks.js';
import { staffChecks } from './staffChecks.js';
import { storeChecks } from './storeChecks.js';
import { uploadChecks } from './uploadChecks.js';

/** All checks, ordered so that a cause comes before its consequences. */
export function allChecks(
  services: Services,
  machine: Machine,
  options: { readonly lowSpaceBytes?: number } = {},
): readonly Check[] {
  return [
    ...machineChecks(services, machine, options.lowSpaceBytes),
    ...uploadChecks(services),
    ...processingChecks(services),
    ...storeChecks(services),
    ...moneyChecks(services),
    ...staffChecks(services),
  ];
}
