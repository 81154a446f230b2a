import { doWithout } from './do-without.ts'
import { findOnPath } from './find-on-path.ts'

/** Issues the certificates of tests. */
export function findOpenssl(): string | undefined {
  return findOnPath('openssl') ?? doWithout('openssl', 'it is not on PATH')
}
