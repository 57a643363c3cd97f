import type { CheckReport, DoctorReport } from '../domain/operations/doctor/doctor.js';

/** The report for a person: what is wrong in full, what is fine by name. Ends with a newline. */
export function describeReport({ checks, healthy }: DoctorReport): string {
  const fine = checks.filter((check) => check.error === null && check.findings.count === 0);
  const lines = checks.flatMap(describeCheck);
  if (fine.length > 0) lines.push(`fine: ${fine.map((check) => check.name).join(', ')}`);
  lines.push(
    healthy ? 'Nothing is stuck.' : `${checks.length - fine.length} of ${checks.length} checks found something.`,
  );
  return `${lines.join('\n')}\n`;
}

function describeCheck({ name, title, remedy, canRepair, findings, error, repair }: CheckReport): string[] {
  const lines: string[] = [];
  if (repair) lines.push(`REPAIRED ${name}: ${title} (${repair.before} before, ${findings.count} now)`);
  if (error !== null) lines.push(`FAILED ${name}: ${error}`);
  if (findings.count > 0) {
    lines.push(`FOUND ${name}: ${title} (${findings.count})`);
    for (const { subject, since, why } of findings.rows) {
      lines.push(`  ${since ? `since ${since.toISOString()}  ` : ''}${subject}`, `    ${why}`);
    }
    const more = findings.count - findings.rows.length;
    if (more > 0) lines.push(`  … and ${more} more`);
    lines.push(`  ${canRepair ? '--repair: ' : 'What to do: '}${remedy}`);
  }
  if (findings.note) lines.push(`  Note: ${findings.note}`);
  return lines;
}
