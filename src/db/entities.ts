import { Account } from '../domain/accounts/account.entity.js';
import { ApiKey } from '../domain/keys/apiKey.entity.js';
import { Processing } from '../domain/processing/processing.entity.js';
import { Quote } from '../domain/processing/quote.entity.js';
import { AuditEntry } from '../domain/support/auditEntry.entity.js';
import { Rendition } from '../domain/videos/rendition.entity.js';
import { Upload } from '../domain/videos/upload.entity.js';
import { Video } from '../domain/videos/video.entity.js';
import { Escrow } from '../domain/wallet/escrow.entity.js';

export const entities = [Account, ApiKey, AuditEntry, Escrow, Processing, Quote, Rendition, Upload, Video];
