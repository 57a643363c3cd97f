// Written by writeTypes.ts from schema.graphql and the .graphql files of the dashboard. Do not edit.
import { HomeDocument, NewestVideosDocument, PaymentSandboxDocument, RunningJobsDocument, SpendingDocument, VideoDocument, VideoPosterDocument, VideoTagsDocument, VideosDocument, ViewerDocument, WalletDocument, WalletUseDocument } from './graphql.js';

export const FIRST_DOCUMENTS = {
  home: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument, HomeDocument, NewestVideosDocument, SpendingDocument],
  videos: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument, VideosDocument, VideoTagsDocument],
  video: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument, VideoDocument, VideoPosterDocument],
  videoTab: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument, VideoDocument],
  wallet: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument, WalletUseDocument],
  other: [ViewerDocument, WalletDocument, PaymentSandboxDocument, RunningJobsDocument],
} as const;
