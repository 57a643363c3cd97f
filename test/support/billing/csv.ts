/** A strict reader of CSV by RFC 4180: anything else throws. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (let at = 0; at < text.length;) {
    const quoted = /"((?:[^"]|"")*)"/y;
    const plain = /[^",\r\n]*/y;
    quoted.lastIndex = plain.lastIndex = at;
    const match = quoted.exec(text) ?? plain.exec(text)!;
    record.push(match[1] === undefined ? match[0] : match[1].replaceAll('""', '"'));
    at += match[0].length;
    if (text.startsWith('\r\n', at)) {
      records.push(record);
      record = [];
      at += 2;
    } else if (text[at] === ',') at += 1;
    else throw new Error(`neither a comma nor a line end at ${at}: ${text.slice(at, at + 20)}`);
  }
  if (record.length > 0) throw new Error('the last record has no line end');
  return records;
}
