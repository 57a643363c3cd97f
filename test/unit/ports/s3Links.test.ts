import { expect, it } from 'vitest';

import { S3Links } from '../../../src/adapters/store/s3Links.js';

const EXAMPLE = {
  bucketUrl: 'https://examplebucket.s3.amazonaws.com/',
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  prefix: '',
};
const MAY_2013 = Date.UTC(2013, 4, 24) / 1000;

it('a presigned address matches the example of the specification', () => {
  const link = new S3Links(EXAMPLE).linker(MAY_2013, MAY_2013 + 86_400)('test.txt');
  expect(link).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

it('a presigned address is valid for seven days at most, and never ends before it begins', () => {
  const links = new S3Links(EXAMPLE);
  expect(links.linker(MAY_2013, MAY_2013 + 30 * 86_400)('k')).toContain('X-Amz-Expires=604800&');
  expect(() => links.linker(MAY_2013, MAY_2013)).toThrow(RangeError);
});

it('a presigned address is made for plain keys only', () => {
  const link = new S3Links(EXAMPLE).linker(MAY_2013, MAY_2013 + 60);
  expect(() => link('a?b')).toThrow('invalid object key');
});
