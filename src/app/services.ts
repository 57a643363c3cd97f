import { createIdentity } from '../adapters/identity/createIdentity.js';
import { LetterWriter } from '../adapters/mail/emails/emailWriter.js';
import { PdfWriter } from '../adapters/pdf/pdfWriter.js';
import { HttpWebhookSender } from '../adapters/webhooks/httpSender.js';
import { parseNetworks } from '../adapters/webhooks/networks.js';
import { NdjsonViewLines } from '../adapters/views/ndjsonViewLines.js';
import { FfmpegPosterTools } from '../adapters/transcode/pictures/ffmpegPosterTools.js';
import { FfmpegLogoTools } from '../adapters/transcode/pictures/ffmpegLogoTools.js';
import { AccountService } from '../domain/accounts/account.service.js';
import { identityEvents } from '../domain/accounts/identityEvents.js';
import { DataDownloads } from '../domain/accounts/dataDownload.js';
import { AlertService } from '../domain/shared/alerts/alert.service.js';
import { BrandService } from '../domain/media/branding/brand.service.js';
import { CaptionService } from '../domain/media/captions/caption.service.js';
import { AccessTokenService } from '../domain/accounts/accessTokens/accessTokens.service.js';
import { NotificationService } from '../domain/accounts/notices/notifications.service.js';
import { UnsubscribeLinks } from '../domain/accounts/notices/unsubscribeLinks.js';
import { KeyService } from '../domain/accounts/keys/keys.service.js';
import { MediaKeyService } from '../domain/media/keys/mediaKeys.service.js';
import { NoticeService } from '../domain/accounts/notices/notice.service.js';
import { FirstTokens } from '../domain/playback/activity/firstTokens.js';
import { VideoActivityService } from '../domain/playback/activity/videoActivity.service.js';
import { AnalyticsService } from '../domain/playback/analytics/analytics.service.js';
import { viewLine } from '../domain/playback/analytics/viewLine.js';
import { ViewRecorder } from '../domain/playback/analytics/viewRecorder.js';
import { PlaybackService } from '../domain/playback/playback.service.js';
import { PosterService } from '../domain/media/posters/poster.service.js';
import { Admission } from '../domain/media/pipeline/admission.js';
import { AttemptService } from '../domain/media/pipeline/attempt.service.js';
import { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import { ExpiredQuotes } from '../domain/media/pipeline/expiredQuotes.js';
import { LeftoversService } from '../domain/media/pipeline/leftovers.service.js';
import { MeasureService } from '../domain/media/pipeline/measure.service.js';
import { ProcessingService } from '../domain/media/pipeline/processing.service.js';
import { QuoteService } from '../domain/media/pipeline/quote.service.js';
import { DEMO_GIFT } from '../domain/ledger/demoGift.js';
import { EventLog } from '../domain/shared/events/eventLog.js';
import { OneAtATime } from '../domain/shared/oneAtATime.js';
import { deriveKey } from '../domain/shared/secrets/masterKey.js';
import { lastingSecret } from '../domain/shared/secrets/lastingSecrets.js';
import { SecretRewrap } from '../domain/operations/rewrap.js';
import { OrphanService } from '../domain/media/objects/orphan.service.js';
import { RemeasureService } from '../domain/media/objects/remeasure.service.js';
import { ErasureService } from '../domain/operations/closing/erasure.service.js';
import { ClosingService } from '../domain/operations/closing/closing.service.js';
import { personalData } from '../domain/operations/personalData/personalData.js';
import { AccountNoteService } from '../domain/operations/support/accountNotes.service.js';
import { AdjustmentService } from '../domain/operations/support/adjustment.service.js';
import { TestWalletService } from '../domain/payments/testMode/testWallet.service.js';
import { invoiceAddressOf } from '../domain/payments/billing/billingDetails.service.js';
import { receiptOf } from '../domain/payments/billing/receiptOf.js';
import { FailedVideoService } from '../domain/operations/support/failedVideos.js';
import { OwnerViewService } from '../domain/operations/support/ownerView.service.js';
import { StaffRequestService } from '../domain/operations/support/staffRequest.service.js';
import { TestClockService } from '../domain/operations/testClock/testClock.service.js';
import { SupportService } from '../domain/operations/support/support.service.js';
import { PlatformTotals } from '../domain/operations/totals/platformTotals.service.js';
import { QueueAges } from '../domain/operations/totals/queueAges.js';
import { PublishedMedia } from '../domain/media/library/publishedMedia.js';
import { UploadService } from '../domain/media/uploads/uploads.js';
import { BinService } from '../domain/media/library/bin.service.js';
import { VideoService } from '../domain/media/library/video.service.js';
import { SourceService } from '../domain/media/library/source.service.js';
import { VideoPartsService } from '../domain/media/library/videoParts.js';
import { MovedClocks } from '../domain/accounts/testMode/movedClocks.js';
import { TestModeService } from '../domain/accounts/testMode/testMode.service.js';
import { WebhookService } from '../domain/accounts/webhooks/webhooks.service.js';
import { WebhookSecrets } from '../domain/accounts/webhooks/webhookSecrets.js';
import { createFoundation, type Foundation } from './foundation.js';
import { createMoneyServices, type MoneyServices } from './moneyServices.js';
import type { AppOptions } from './options.js';

const SECONDS_PER_HOUR = 3600;

export type Services = Awaited<ReturnType<typeof createServices>>;

export async function createServices(options: AppOptions) {
  const { config, publicUrl, runtimeUrl, logger } = options;
  const foundation = await createFoundation(options);
  const { db, mailer, masterKeys } = foundation;
  const money = await createMoneyServices(options, foundation);
  const videos = await createVideoServices(options, foundation, money);
  const keys = new KeyService({ db });
  const accounts = new AccountService({ db });
  // Two-factor secrets on phones must survive a change of the master key.
  const identitySecret = await lastingSecret(db, masterKeys, 'identity');
  const identity = createIdentity({
    runtimeUrl,
    secret: identitySecret.toString('hex'),
    publicUrl,
    mailer,
    events: identityEvents(db),
    logger,
    // The books and the next start know the demo account by it.
    fixedAddress: DEMO_GIFT.email,
  });
  const eventLog = new EventLog(db, config.EVENT_DAYS);
  const closings = new ClosingService({
    db,
    queue: foundation.queue,
    identity,
    topUps: money.topUps,
    refunds: money.refunds,
    logger,
  });
  const webhookSecrets = new WebhookSecrets(masterKeys);
  const webhookSender = new HttpWebhookSender({
    allowsHttp: config.WEBHOOK_ALLOW_HTTP,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS ? parseNetworks(config.WEBHOOK_ALLOWED_NETWORKS) : [],
  });
  const unsubscribeSecret = await lastingSecret(db, masterKeys, 'unsubscribe');
  const unsubscribeLinks = new UnsubscribeLinks({ secret: unsubscribeSecret, publicUrl });
  const testTurns = new OneAtATime();
  const testWallets = new TestWalletService(db, testTurns);
  return {
    ...foundation,
    ...money,
    ...videos,
    webhooks: new WebhookService({ db, secrets: webhookSecrets, sender: webhookSender }, config.EVENT_DAYS),
    webhookSecrets,
    webhookSender,
    keys,
    accessTokens: new AccessTokenService({ db, identity }),
    accounts,
    testMode: new TestModeService(db),
    testWallets,
    testClocks: new TestClockService({
      db,
      videos: videos.videos,
      processing: videos.processing,
      testWallets,
      turns: testTurns,
    }),
    eventLog,
    videoActivity: new VideoActivityService({ db, eventLog, keepDays: config.VIDEO_CHANGE_DAYS }),
    demoSecret: await lastingSecret(db, masterKeys, 'demo'),
    rewrap: new SecretRewrap({ db, masterKeys }),
    identity,
    support: new SupportService({ db, accounts, keys, playback: videos.playback }),
    adjustments: new AdjustmentService({
      db,
      accounts,
      wallet: money.wallet,
      limitMicros: money.staffLimitMicros,
    }),
    staffRequests: new StaffRequestService({ db, keys, refunds: money.refunds }),
    failedVideos: new FailedVideoService({ db, processing: videos.processing }),
    accountNotes: new AccountNoteService({ db, accounts }),
    ownerViews: new OwnerViewService({ db, accounts, identity }),
    platformTotals: new PlatformTotals(db),
    queueAges: new QueueAges({ db, queue: foundation.queue, storage: money.storage }),
    closings,
    personalData: (accountId: string, signal?: AbortSignal) => personalData(db, accountId, signal),
    dataDownloads: new DataDownloads(db),
    erasures: new ErasureService({
      db,
      closings,
      videos: videos.videos,
      bin: videos.bin,
      topUps: money.topUps,
      webhookBodies: money.webhookBodies,
      logger,
    }),
    alerts: new AlertService({ db, mailer, logger, mailTo: config.ALERT_MAIL_TO ?? null }),
    notifications: new NotificationService(db),
    unsubscribeLinks,
    notices: new NoticeService({
      db,
      mailer,
      writer: new LetterWriter(publicUrl),
      enclosureOf: receiptOf(money.invoices, new PdfWriter()),
      otherAddressOf: invoiceAddressOf(db),
      unsubscribeLinks,
      host: foundation.ownHost,
      logger,
      keepDays: config.EMAIL_DAYS,
    }),
  };
}

/** From the upload to the player. */
async function createVideoServices(
  { role, config, masterKey, publicUrl, logger }: AppOptions,
  foundation: Foundation,
  { storage }: MoneyServices,
) {
  const { db, store, staging, queue, masterKeys, volumes } = foundation;
  const runAdmission = new Admission({ db, volumes });
  // A process that makes no videos knows only the store's volume.
  const works = role === 'all' || role === 'worker';
  const admission = works ? runAdmission : new Admission({ db, volumes: volumes.slice(0, 1) });
  const attempts = new AttemptService(db);
  const measures = new MeasureService(db);
  const orphans = new OrphanService({ db, store });
  const mediaKeys = new MediaKeyService({ db, masterKeys });
  const viewLines =
    config.VIEW_REPORTS === undefined || (role !== 'all' && role !== 'api')
      ? null
      : NdjsonViewLines.open(config.VIEW_REPORTS.slice('ndjson:'.length), (error) =>
          logger.error({ err: error }, 'could not write to VIEW_REPORTS'),
        );
  const views = new ViewRecorder({
    db,
    visitorKey: deriveKey(masterKey, 'playback-visitor'),
    onWritten: (written) => {
      const now = new Date();
      viewLines?.write(written.map((view) => viewLine(view, now)));
    },
    onError: (error) => logger.warn({ err: error }, 'could not write views, will try again'),
  });
  const firstTokens = new FirstTokens({
    db,
    onError: (error) => logger.warn({ err: error }, 'could not record the first tokens of a day'),
  });
  const uploads = new UploadService({
    db,
    store,
    staging,
    jobs: queue,
    maxSizeBytes: config.MAX_UPLOAD_BYTES,
    expiresInSeconds: config.UPLOAD_EXPIRY_HOURS * SECONDS_PER_HOUR,
    allowance: {
      freeBytes: config.UPLOAD_FREE_BYTES,
      months: config.UPLOAD_PAID_MONTHS,
      spaceSharePercent: config.UPLOAD_ROOM_SHARE_PERCENT,
    },
  });
  const videos = new VideoService({ db, queue, uploads });
  return {
    playback: await PlaybackService.open({
      db,
      masterKey,
      previousMasterKeys: masterKeys.previous,
      publicUrl,
      views,
      firstTokens,
      onError: (error) => logger.warn({ err: error }, 'could not reload signing keys'),
    }),
    views,
    firstTokens,
    movedClocks: new MovedClocks(db.sql),
    viewLines,
    analytics: new AnalyticsService(db, { viewDays: config.VIEW_DAYS, hourMonths: config.VIEW_HOUR_MONTHS }),
    uploads,
    attempts,
    measures,
    orphans,
    runAdmission,
    mediaKeys,
    remeasure: new RemeasureService({ db, store, orphans, nights: storage }),
    chunks: new ChunkService({ db, queue, store }),
    leftovers: new LeftoversService({ db, store, queue, attempts, measures }),
    processing: new ProcessingService({ db, queue, quotes: new QuoteService(db), admission }),
    expiredQuotes: new ExpiredQuotes({ db, keepDays: config.QUOTE_DAYS }),
    videos,
    bin: new BinService({ db, queue, videos }),
    videoParts: new VideoPartsService(db),
    sources: new SourceService({ db, store }),
    captions: new CaptionService(db),
    brands: new BrandService({
      db,
      store,
      media: new PublishedMedia(db.sql),
      tools: new FfmpegLogoTools({
        ffmpegPath: config.FFMPEG_PATH,
        searchPath: config.PATH,
        mustConfine: config.NODE_ENV === 'production',
      }),
    }),
    posters: new PosterService({
      db,
      store,
      mediaKeys,
      tools: new FfmpegPosterTools({
        ffmpegPath: config.FFMPEG_PATH,
        searchPath: config.PATH,
        mustConfine: config.NODE_ENV === 'production',
      }),
    }),
  };
}
