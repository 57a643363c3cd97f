import type { Check } from '../check.js';
import type { Machine, Services } from '../services.js';
import { machineChecks } from './machineChecks.js';
import { moneyChecks } from './moneyChecks.js';
import { processingChecks } from './processingChecks.js';
import { staffChecks } from './staffChecks.js';
import { storeChecks } from './storeChecks.js';
import { uploadChecks } from './uploadChecks.js';

/** Every check there is, in the order in which one fault explains the next. */
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
