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
        Processing chooses a poster. On the video’s page you can choose another: one of the frames along the video, the
        frame that the player shows, or a picture of your own (JPEG or PNG, at most 5 MB). A picture is drawn anew, at
        most 1280 pixels wide or high; nothing else of the file is kept. Each choice has a new address, so nobody is
        shown an old one from a cache, and the one before is deleted. Posters are public to whoever has the address,
        those of encrypted videos, too. By GraphQL it is <code>setPoster</code>, and <code>PUT /uploads/posters/…</code>{' '}
        for a file.
      </p>
      <Part id="pictures-hdr" title="HDR" />
      <p>
        Videos are made in SDR (BT.709, 8 bits), which plays everywhere. A file in HDR10 or HLG is tone mapped: its
        white becomes nearly white, faces keep their light, and what is brighter than white is squeezed in above it.
        Posters and the pictures along the timeline are made alike. The video’s page says so, and in GraphQL{' '}
        <code>isHdr</code> does. Of Dolby Vision, files with a base in HDR10 or HLG are read; profile 5 has none, and
        its colours come out wrong.
      </p>
      <Part id="pictures-receipt" title="How a rendition was made" />
      <p>
        Each rendition keeps a receipt. It is under “Encoding details” on the video’s page, to be copied or downloaded
        as JSON, and in GraphQL as <code>renditions.receipt</code>.
      </p>
      <Table
        label="What a receipt says"
        head={['Field', 'Meaning']}
        rows={[
          [
            <code key="name">profile</code>,
            'The name of the encoder settings. One name stands for the same settings for ever; copied where the packets of your file were kept.',
          ],
          [
            <code key="name">ffmpegVersion</code>,
            'What encoded it; of a long video that several machines made, each version among theirs',
          ],
          [<code key="name">bits</code>, 'What is stored of it, its playlist included'],
          [<code key="name">secondsBilled</code>, 'The length that was paid for'],
          [
            <code key="name">ssim</code>,
            'Structural similarity to your file: the mean of the luma of every frame, compared at the size of the rendition; 1 is the same. Of a file in HDR, to that in SDR. Nothing for sound.',
          ],
          [<code key="name">ssimFrames</code>, 'How many frames that were'],
          [
            <code key="name">sha256</code>,
            'One digest over the stored init and media segments, as they are stored: encrypted, where they are',
          ],
        ]}
      />
      <p>Whoever has the files can verify the digest with nothing but coreutils:</p>
      <Code title="Shell" code={VERIFY} />
    </Section>
  );
}
