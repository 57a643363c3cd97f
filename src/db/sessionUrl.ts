/** The address of a database with a name and settings for its sessions, besides those that it has already. */
export function sessionUrl(address: string, application: string, settings: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const given = url.searchParams.get('options');
  if (options.length > 0) url.searchParams.set('options', [...(given === null ? [] : [given]), ...options].join(' '));
  url.searchParams.set('application_name', application);
  return url.href;
}
