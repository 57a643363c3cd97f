import { Code } from '../parts/Code.js';
import { Part, Section, Table } from '../parts/Text.js';

const VERIFY = `cd 720p
sha256sum init.mp4 seg_*.m4s | sha256sum`;

/** Posters, and receipts of how a video was made. */
export function Pictures() {
  return (
    <Section id="pictures" title="Posters and receipts">
      <Part id="pictures-poster" title="The poster" />
      <p>
        Processing chooses a poster. On the video’s page, you can choose a suggested frame, the frame in the player, or
        your own picture (JPEG or PNG, up to 5 MB). Pictures are re-encoded at up to 1280 pixels wide or high, without
        metadata. Each poster has a new address, so caches never show an old one, and the previous poster is deleted.
        Anyone with the address can see a poster, also that of an encrypted video. In GraphQL, use{' '}
        <code>setPoster</code>, and <code>PUT /uploads/posters/…</code> for a file.
      </p>
      <Part id="pictures-hdr" title="HDR" />
      <p>
        Renditions are SDR (BT.709, 8 bits), which plays everywhere. HDR10 and HLG sources are tone mapped: skin tones
        keep their brightness, and highlights are compressed. Posters and thumbnails are tone mapped, too. The video’s
        page and <code>isHdr</code> in GraphQL say that the source is HDR. Dolby Vision works if the file has an HDR10
        or HLG base layer. Profile 5 has none, and its colors are wrong.
      </p>
      <Part id="pictures-receipt" title="How a rendition was made" />
      <p>
        Each rendition keeps a receipt. Copy or download it as JSON in the tab “Encoding details” of the video’s page,
        or read it in GraphQL as <code>renditions.receipt</code>.
      </p>
      <Table
        label="What a receipt says"
        head={['Field', 'Meaning']}
        rows={[
          [
            <code key="name">profile</code>,
            'The name of the encoder settings. A name never changes its settings. “copied” means passthrough: the packets of your file were used unchanged.',
          ],
          [
            <code key="name">ffmpegVersion</code>,
            'The version of ffmpeg; several if machines with different versions encoded chunks',
          ],
          [<code key="name">bits</code>, 'Stored size, including the playlist'],
          [<code key="name">secondsBilled</code>, 'Billed length'],
          [
            <code key="name">ssim</code>,
            'Structural similarity to your file: the mean over the luma of every frame, at the rendition’s size. 1 means identical. HDR sources are compared after tone mapping. Empty for audio.',
          ],
          [<code key="name">ssimFrames</code>, 'Number of compared frames'],
          [
            <code key="name">sha256</code>,
            'Digest of the stored init and media segments; of encrypted segments, if the video is encrypted',
          ],
        ]}
      />
      <p>You can verify the digest of the files with coreutils:</p>
      <Code title="Shell" code={VERIFY} />
    </Section>
  );
}
