import type { LedgerLine } from '../../ledger/ledgerLines.js';
import type { WalletService } from '../../ledger/wallet.service.js';

/** A line with the title of the video that caused it, if one did and it still exists. */
export type TitledLine = LedgerLine & { readonly videoTitle: string | null };

/** The same lines with their titles, which are read together. */
export async function titledLines(
  wallet: Pick<WalletService, 'videoTitles'>,
  accountId: string,
  lines: readonly LedgerLine[],
): Promise<TitledLine[]> {
  const ids = [...new Set(lines.flatMap(videosOf))];
  const titles = ids.length === 0 ? [] : await wallet.videoTitles(accountId, ids);
  const titleOf = new Map(ids.map((id, nth) => [id, titles[nth] ?? null]));
  return lines.map((line) => {
    const [videoId] = videosOf(line);
    return { ...line, videoTitle: videoId === undefined ? null : (titleOf.get(videoId) ?? null) };
  });
}

/** The video that caused it, or none. */
function videosOf({ cause }: LedgerLine): string[] {
  return cause?.kind === 'video' ? [cause.videoId] : [];
}
