import { describe, expect, test } from 'vitest';
import { encodeFailure } from '../../../src/adapters/transcode/encode/encodeFailure.js';
import { peakBandwidth, readPlaylist } from '../../../src/adapters/transcode/encode/measureRendition.js';
import { PacketDuration } from '../../../src/adapters/transcode/probe/packetDuration.js';
import { readReport } from '../../../src/adapters/transcode/probe/probeReport.js';
import { ProgressReader } from '../../../src/adapters/transcode/sandbox/progress.js';
import type { Confinement, Sandbox } from '../../../src/adapters/transcode/sandbox/sandbox.js';
import { confine } from '../../../src/adapters/transcode/sandbox/sandbox.js';
import { containerOf } from '../../../src/adapters/transcode/probe/sniff.js';
import type { EncodeProgress } from '../../../src/ports/transcoder.js';

describe('the peak bandwidth', () => {
  const segments = (...list: [number, number][]) =>
    list.map(([durationSeconds, sizeBytes]) => ({ durationSeconds, sizeBytes }));

  test('is that of the worst run: a very short segment counts with its neighbor, not by itself', () => {
    expect(peakBandwidth(segments([4, 1_000], [4, 3_000], [0.1, 900]), 4)).toBe(7_610);
  });

  test('counts runs of short segments together', () => {
    expect(peakBandwidth(segments([1, 1_000], [1, 1_000], [1, 4_000], [1, 1_000]), 4)).toBe(20_000);
  });

  test('is the average for a video shorter than half a segment', () => {
    expect(peakBandwidth(segments([0.5, 100]), 4)).toBe(1_600);
    expect(peakBandwidth([], 4)).toBe(0);
  });

  test('comes from the durations in the playlist', () => {
    const text = '#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:4.004000,\na.m4s\n#EXTINF:1.5,\nb.m4s\n';
    expect(readPlaylist(text)).toEqual({
      targetDurationSeconds: 5,
      segments: [
        { path: 'a.m4s', durationSeconds: 4.004 },
        { path: 'b.m4s', durationSeconds: 1.5 },
      ],
    });
  });
});

describe('progress', () => {
  test('increases, stays below the end, and handles lines that are cut in two', () => {
    const seen: EncodeProgress[] = [];
    const reader = new ProgressReader(10_000, (progress) => seen.push(progress));
    reader.add('out_time_us=-9223372036854775807\nspeed=N/A\nprogress=continue\nout_time_u');
    reader.add('s=2500000\nspeed=2.5x\nprogress=continue\n');
    reader.add('out_time_us=2000000\nprogress=continue\nout_time_us=10040000\nprogress=end\n');
    expect(seen.map(({ percent }) => percent)).toEqual([0, 25, 25, 99]);
    expect(seen[0]).toMatchObject({ speed: null, etaSeconds: null });
    expect(seen[1]).toMatchObject({ speed: 2.5, etaSeconds: null });
  });

  test('tells the time left by the pace since the first output, once that is known', () => {
    const seen: EncodeProgress[] = [];
    let nowMs = 0;
    const reader = new ProgressReader(
      10_000,
      (progress) => seen.push(progress),
      () => nowMs,
    );
    // Three seconds of start give one frame: by ffmpeg's own speed, ten seconds of video would take twelve minutes.
    const written = [0.04, 0.54, 1.04, 1.54, 2.04, 3.04, 6.04, 9.04];
    for (const [index, seconds] of written.entries()) {
      nowMs = 3_000 + index * 500;
      reader.add(`out_time_us=${seconds * 1_000_000}\nspeed=${(seconds * 1_000) / nowMs}x\nprogress=continue\n`);
    }
    const left = seen.map(({ etaSeconds }) => etaSeconds);
    expect(left.slice(0, 3)).toEqual([null, null, null]);
    expect(left.slice(3)).toEqual([9, 8, 6, 2, 1]);
  });
});

const ONE_TRACK = { tracks: [{ streamIndex: 0, packetSeconds: 0.04 }], bridgesJumps: false };

test('counts packets from the first start to the last end, of the wanted tracks, in any order and in any pieces', () => {
  const packets = new PacketDuration(ONE_TRACK);
  packets.add('0|1.4|1.2|0.04\n0|1.6|1.3|0.0');
  packets.add('4\n0|1.5|1.4|0.04\n0|N/A|1.5|N/A|\n1|9|9|1\n');
  expect(packets.seconds()).toBeCloseTo(0.24, 6);
  expect(new PacketDuration(ONE_TRACK).seconds()).toBeNull();
});

test('keeps counting where the clock restarts or jumps, if asked to', () => {
  const tracks = [0, 1].map((streamIndex) => ({ streamIndex, packetSeconds: 0.5 }));
  const part = '0|0.5|0.5|0.5\n1|0.5|0.5|0.5\n0|1|1|0.5\n1|1|1|0.5\n';
  const leap = '0|900|900|0.5\n1|900|900|0.5\n';
  const measured = (bridgesJumps: boolean): number | null => {
    const packets = new PacketDuration({ tracks, bridgesJumps });
    packets.add(part + part + leap);
    return packets.seconds();
  };
  expect(measured(true)).toBeCloseTo(2.5, 6);
  expect(measured(false)).toBeCloseTo(900, 6);
});

describe('a report', () => {
  const stream = {
    index: 0,
    codec_type: 'video',
    codec_name: 'h264',
    width: 1920,
    height: 1080,
    avg_frame_rate: '25/1',
    r_frame_rate: '25/1',
  };
  const format = { nb_streams: 1, duration: '2.0' };

  test.each([
    [-90, 90],
    [90, 270],
    [-180, 180],
    [-270.4, 270],
    [45, 0],
    [0, 0],
  ] as const)('with a matrix of %d° is rotated by %d°', (rotation, wanted) => {
    const streams = [{ ...stream, side_data_list: [{}, { rotation }] }];
    expect(readReport({ format, streams }, 'mp4', 1).video).toMatchObject({ rotation: wanted, hasMatrix: true });
  });

  test('without a matrix is not rotated, whatever else it contains', () => {
    const streams = [{ ...stream, side_data_list: [{}] }];
    expect(readReport({ format, streams }, 'mp4', 1).video).toMatchObject({ rotation: 0, hasMatrix: false });
  });

  test('of an interlaced picture has no variable rate', () => {
    const streams = [{ ...stream, r_frame_rate: '50/1', field_order: 'tt' }];
    expect(readReport({ format, streams }, 'mp4', 1).video).toMatchObject({
      interlaced: true,
      variableFrameRate: false,
    });
  });

  test('prefers the track that is marked as the default', () => {
    const sound = { codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' };
    const streams = [
      { ...sound, index: 0 },
      { ...sound, index: 1, disposition: { default: 1 } },
    ];
    expect(readReport({ format, streams }, 'mp4', 1).audios.map(({ streamIndex }) => streamIndex)).toEqual([1, 0]);
  });

  test('without a duration, or with an estimated one, leaves it open', () => {
    expect(readReport({ format: {}, streams: [stream] }, 'matroska', 1).durationMs).toBeNull();
    expect(readReport({ format, streams: [stream] }, 'mp3', 1).durationMs).toBeNull();
    expect(readReport({ format, streams: [stream] }, 'mp4', 1).durationMs).toBe(2_000);
  });

  test('without a usable track is refused', () => {
    const subtitles = { codec_type: 'subtitle', codec_name: 'mov_text' };
    expect(() => readReport({ format, streams: [subtitles] }, 'mp4', 1)).toThrow(/neither/);
    expect(() => readReport({ format, streams: [{ ...stream, width: 40_000 }] }, 'mp4', 1)).toThrow(/40000 × 1080/);
  });
});

test('recognizes files by signature; a single sync byte is not one', () => {
  const packet = (size: number, offset: number): Buffer => {
    const bytes = Buffer.alloc(size * 3 + 8);
    [0, 1, 2].forEach((index) => (bytes[offset + index * size] = 0x47));
    return bytes;
  };
  expect(containerOf(packet(188, 0))).toBe('mpegts');
  expect(containerOf(packet(192, 4))).toBe('mpegts');
  expect(containerOf(Buffer.from('G'.padEnd(400)))).toBeNull();
  expect(containerOf(Buffer.from('RIFF....WEBP'))).toBeNull();
  expect(containerOf(Buffer.from('RIFF....WAVE'))).toBe('wav');
  expect(containerOf(Buffer.from([0xff, 0xfb, 0x90, 0x64]))).toBe('mp3');
  expect(containerOf(Buffer.from([0xff, 0xf1, 0x50, 0x80]))).toBe('aac');
  expect(containerOf(Buffer.alloc(0))).toBeNull();
});

describe('the sandbox', () => {
  const sandbox: Sandbox = {
    kind: 'bwrap',
    tools: { prlimit: '/p', choom: '/c', setpriv: '/s', unshare: '/u', timeout: '/t', bwrap: '/b' },
    asRoot: true,
    userNamespace: false,
    ownProcesses: true,
    systemBinds: ['--ro-bind', '/usr', '/usr'],
    programDirs: ['/opt/ffmpeg'],
    syscallFilter: Buffer.from('a filter'),
  };
  const what: Confinement = {
    program: '/opt/ffmpeg/ffmpeg',
    inputPath: '/data/source',
    outputDir: '/data/out',
    limits: { addressSpaceBytes: 1, cpuSeconds: 1.2, fileSizeBytes: 3 },
    uid: 64_999,
  };

  test('with bubblewrap shows one file and one folder, under fixed names', () => {
    const { argv, ...rest } = confine(sandbox, what);
    const line = argv.join(' ');
    expect(line).toMatch(
      /^\/p --as=1 --cpu=2 --fsize=3 --nofile=\d+ --core=1 \/c -n 1000 -- \/s --pdeathsig KILL \/b /,
    );
    expect(line).toContain('--unshare-net');
    expect(line).toContain('--ro-bind /data/source /in/source --bind /data/out /out');
    expect(line).toMatch(/-- \/p --nproc=\d+ \/s --reuid 64999 --regid \d+ --clear-groups --bounding-set=-all/);
    expect(argv.at(-1)).toBe('/program/0/ffmpeg');
    expect(line).toContain('--seccomp 3');
    const descriptor3 = sandbox.syscallFilter;
    expect(rest).toEqual({
      inputPath: '/in/source',
      outputDir: '/out',
      dropsUser: true,
      handsOver: false,
      descriptor3,
    });
    expect(confine({ ...sandbox, syscallFilter: null }, what).argv).not.toContain('--seccomp');
  });

  test('without bubblewrap passes input and output as file descriptors, because the unprivileged user may not reach their paths', () => {
    const bare: Sandbox = { ...sandbox, kind: 'unshare' };
    const { argv, ...rest } = confine(bare, what);
    const descriptor3 = null;
    expect(rest).toEqual({
      inputPath: '/proc/self/fd/3',
      outputDir: '.',
      dropsUser: true,
      handsOver: true,
      descriptor3,
    });
    expect(argv.join(' ')).toMatch(
      /\/u --pid --fork --kill-child --mount-proc --net --ipc -- \/t --foreground 0 \/p --nproc=\d+ \/s --reuid/,
    );
    expect(confine({ ...bare, ownProcesses: false }, what).argv.join(' ')).toContain('/u --net --ipc --');
  });

  test('has a user namespace, in which processes are counted, if the user is not root', () => {
    const { argv, dropsUser } = confine({ ...sandbox, asRoot: false, userNamespace: true }, what);
    expect(argv).toContain('--unshare-user');
    expect(argv.join(' ')).toMatch(/-- \/p --nproc=/);
    expect(argv.join(' ')).not.toMatch(/--reuid|--bounding-set/);
    expect(dropsUser).toBe(false);
  });
});

describe('a failed encode is attributed', () => {
  const failures: [string, number, string | null, string, string][] = [
    ['to a full disk', 1, null, 'Error writing trailer: No space left on device', 'OUT_OF_DISK'],
    ['to its time limit', 137, 'timeout', '', 'LIMIT_EXCEEDED'],
    ['to a limit that the kernel enforces', 152, null, '', 'LIMIT_EXCEEDED'],
    ['to a lack of memory', 1, null, 'malloc of size 99 failed', 'LIMIT_EXCEEDED'],
    ['to a damaged source', 1, null, 'Invalid data found when processing input', 'SOURCE_DAMAGED'],
    ['to the encoder if nothing else explains it', 1, null, 'Conversion failed!', 'ENCODER_FAILED'],
  ];
  test.each(failures)('%s', (_, exitCode, killedFor, stderrTail, code) => {
    expect(encodeFailure({ exitCode, killedFor, stderrTail })).toMatchObject({ code });
  });

  test.each([
    ['a sandbox that does not start', 1, 'bwrap: no', 'TranscoderUnavailableError'],
    ['a machine short of memory', 137, '', 'TranscoderKilledError'],
    [
      'libraries that are being replaced',
      127,
      'error while loading shared libraries: libx264.so.164',
      'TranscoderUnavailableError',
    ],
  ])('to the operator if the cause is %s', (_, exitCode, stderrTail, name) => {
    const failure = encodeFailure({ exitCode, killedFor: null, stderrTail });
    expect(failure.name).toBe(name);
  });

  test.each([
    ['stall', '', true],
    [null, 'source: Input/output error', true],
    [null, 'Invalid data found when processing input\nStale file handle', true],
    ['timeout', '', false],
    ['output', '', false],
    [null, 'Invalid data found when processing input', false],
    [null, 'Conversion failed!', false],
  ])(
    'with doubt, so that it must happen twice, if the disk may be the cause (killed for %s, stderr %j: %s)',
    (killedFor, stderrTail, inDoubt) => {
      const exitCode = killedFor === null ? 1 : 137;
      expect(encodeFailure({ exitCode, killedFor, stderrTail })).toMatchObject({ inDoubt });
    },
  );
});
