import { expect, it } from 'vitest'
import { UnavailableError } from './backend-errors.ts'
import { LeasePool } from './lease-pool.ts'

it('objects that expire at about the same time share a lease, and concurrent requests grant only one', async () => {
  let now = 0
  let granted = 0
  const grants: number[] = []
  const pool = new LeasePool({ grantLease: async (ttl) => (grants.push(ttl), ++granted) }, () => now)
  expect(await Promise.all(Array.from({ length: 1001 }, () => pool.lease('/a', 3600)))).toEqual([...Array<number>(1000).fill(1), 2])
  now += 61_000
  expect(await pool.lease('/b', 3600)).toBe(3)
  expect(await pool.lease('/c', 60)).toBe(4)
  expect(grants).toEqual([3660, 3660, 3660, 63])
})

it('a failed grant throws a storage error, and the next request tries again', async () => {
  let away = true
  const pool = new LeasePool(
    {
      async grantLease() {
        if (away) throw new UnavailableError('gone')
        return 7
      },
    },
    () => 0,
  )
  const failed = await Promise.allSettled([pool.lease('/a', 60), pool.lease('/b', 60)])
  expect(failed.map((each) => each.status === 'rejected' && (each.reason as unknown))).toEqual(
    ['/a', '/b'].map((key) => expect.objectContaining({ name: 'StorageError', code: 'Unreachable', key }) as unknown),
  )
  away = false
  expect(await pool.lease('/a', 60)).toBe(7)
})
