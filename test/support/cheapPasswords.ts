/**
 * Makes the passwords of services in this process cheap to hash: each sign-up and sign-in costs 60 ms of a processor
 * otherwise, which was a third of the time of these tests. Services in processes of their own hash as they do anywhere.
 */
import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;
const cheap = (password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done): void =>
  scrypt(password, salt, length, { ...options, N: 2 }, done);
Object.assign(crypto, { scrypt: cheap });
syncBuiltinESMExports();
