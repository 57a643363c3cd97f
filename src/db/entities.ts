import { Account } from '../domain/accounts/account.entity.js';
import { ApiKey } from '../domain/accounts/keys/apiKey.entity.js';
import { Processing } from '../domain/media/pipeline/processing.entity.js';
import { Quote } from '../domain/media/pipeline/quote.entity.js';
import { AuditEntry } from '../domain/shared/auditEntry.entity.js';
import { Rendition } from '../domain/media/library/rendition.entity.js';
import { Upload } from '../domain/media/uploads/upload.entity.js';
import { Video } from '../domain/media/library/video.entity.js';
import { Escrow } from '../domain/ledger/escrow.entity.js';

export const entities = [Account, ApiKey, AuditEntry, Escrow, Processing, Quote, Rendition, Upload, Video];
