import { expect, test } from 'vitest'
import { parseArguments } from '../arguments.ts'
import { flags } from '../flags.ts'
import type { FlagValues } from '../flags.ts'
import { bindAddress } from './serving.ts'

const resolveBindAddress = (...argv: string[]): string => bindAddress(parseArguments(argv, flags).values as unknown as FlagValues)

test('the default bind address is the loopback address, or all interfaces with etcd', () => {
  expect(resolveBindAddress()).toBe('127.0.0.1')
  expect(resolveBindAddress('--storage-backend=memory')).toBe('127.0.0.1')
  expect(resolveBindAddress('--etcd-servers=http://127.0.0.1:2379')).toBe('0.0.0.0')
  expect(resolveBindAddress('--etcd-servers=http://127.0.0.1:2379', '--bind-address=10.0.0.1')).toBe('10.0.0.1')
})
