import type { BinPage } from '../../../domain/media/library/bin.service.js';
import type { BinRow } from '../../../domain/media/library/bin.sql.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { BinConnection, BinnedVideo } from '../types/bin.js';
import { connectionOfRows } from './connectionView.js';

export function binConnectionView({ rows, totalCount, storedBytes }: BinPage, first: number): BinConnection {
  return { ...connectionOfRows(rows, first, binnedVideoView), totalCount, storedBytes: Number(storedBytes) };
}

function binnedVideoView(row: BinRow): BinnedVideo {
  return {
    id: videoIdOf(row.id),
    title: row.title,
    status: row.status,
    durationSeconds: row.duration_ms === null ? null : Number(row.duration_ms) / 1000,
    storedBytes: Number(row.stored_bytes),
    deletedAt: new Date(row.deleted_at),
    purgeAt: new Date(row.purge_after),
  };
}
