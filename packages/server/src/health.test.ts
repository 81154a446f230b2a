import { parseQuery } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { createHealthEndpoint } from './health.ts'

const createFailure = (text: string) => (): never => {
  throw new Error(text)
}
const checks = [
  { name: 'ping', check: () => {} },
  { name: 'etcd', group: 'etcd', check: createFailure('a') },
  { name: 'etcd-override-0', group: 'etcd', check: createFailure('b') },
]

test('excludes single checks and groups of checks', async () => {
  const { answer } = createHealthEndpoint({ name: 'readyz', listChecks: () => checks })
  expect(await answer(parseQuery('verbose&exclude=etcd&exclude=z&exclude=a'))).toMatchObject({
    status: 200,
    body:
      '[+]ping ok\n[+]etcd excluded: ok\n[+]etcd-override-0 excluded with etcd: ok\n' +
      'warn: some health checks cannot be excluded: no matches for "a","z"\nreadyz check passed\n',
  })
  expect((await answer(parseQuery('exclude=etcd-override-0'))).body).toBe(
    '[+]ping ok\n[-]etcd failed: reason withheld\n[+]etcd-override-0 excluded: ok\nreadyz check failed\n',
  )
})

test('reports the reasons of failures once for each request, and counts the checks of the whole endpoint only', async () => {
  const failures: unknown[] = []
  const counted: unknown[] = []
  const { answer, answerOne } = createHealthEndpoint({
    name: 'livez',
    listChecks: () => checks,
    onFailure: (...failed) => failures.push(failed),
    onChecked: (...result) => counted.push(result),
  })
  expect(await answerOne('etcd')).toMatchObject({ status: 500, body: 'internal server error: a\n' })
  expect(await answerOne('ping')).toMatchObject({ status: 200, body: 'ok' })
  expect([failures, counted]).toEqual([[], []])
  await answer(parseQuery(''))
  expect(failures).toEqual([['livez', ['etcd', 'etcd-override-0'], ['[-]etcd failed: a', '[-]etcd-override-0 failed: b']]])
  expect(counted).toEqual([
    ['ping', true],
    ['etcd', false],
    ['etcd-override-0', false],
  ])
})
