/** The pay page in a browser without scripts: a pressed button must exist, and sends the fields of its form. */
export class PayPage {
  private constructor(
    readonly url: string,
    readonly status: number,
    readonly html: string,
    readonly headers: Headers,
  ) {}

  static async open(url: string): Promise<PayPage> {
    const response = await fetch(url, { redirect: 'manual' });
    return new PayPage(url, response.status, await response.text(), response.headers);
  }

  reload(): Promise<PayPage> {
    return PayPage.open(this.url);
  }

  /** The visible text. */
  get text(): string {
    return this.html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  }

  buttons(): string[] {
    return [...this.html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, words]) =>
      words!.trim().replaceAll(/\s+/g, ' '),
    );
  }

  /** Sends the form of the first button with these words. Resolves to the status and location. */
  async press(words: string, fields: Record<string, string> = {}): Promise<{ status: number; location: string }> {
    const { action, inputs, button } = this.formOf(words);
    const body = new URLSearchParams({ ...inputs, ...fields, ...button });
    const response = await fetch(new URL(action, this.url), { method: 'POST', body, redirect: 'manual' });
    await response.text();
    return { status: response.status, location: response.headers.get('location') ?? '' };
  }

  private formOf(words: string) {
    for (const [form, action] of this.html.matchAll(/<form method="post" action="([^"]*)">[\s\S]*?<\/form>/g)) {
      for (const [tag, text] of form.matchAll(/<button[^>]*>([^<]*)<\/button>/g)) {
        if (text!.trim().replaceAll(/\s+/g, ' ') !== words) continue;
        const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => [
          attribute(input, 'name'),
          attribute(input, 'value'),
        ]);
        const name = attribute(tag, 'name');
        const button = name === '' ? {} : { [name]: attribute(tag, 'value') };
        return { action: action!, inputs: Object.fromEntries(inputs) as Record<string, string>, button };
      }
    }
    throw new Error(`There is no button "${words}"; there are ${this.buttons().join(', ')}`);
  }
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
