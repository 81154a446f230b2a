import { findBinary } from './find-binary.ts'

export function findKubectl(): string | undefined {
  return findBinary({ name: 'kubectl', version: ['version', '--client'], debian: { package: 'kubectl', path: 'usr/bin/kubectl' } })
}
