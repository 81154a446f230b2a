import { reportMissing } from './report-missing.ts'
import { findOnPath } from './find-on-path.ts'

/** Returns the openssl that issues the tests' certificates. */
export function findOpenssl(): string | undefined {
  return findOnPath('openssl') ?? reportMissing('openssl', 'not on PATH')
}
