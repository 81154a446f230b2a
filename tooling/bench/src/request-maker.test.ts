import { expect, test } from 'vitest'
import { createMixedMaker, createRequestMaker } from './request-maker.ts'

test('pads and repeats object numbers, but not request numbers', () => {
  const make = createRequestMaker({ method: 'PUT', path: '/p-{n}', body: '{n}: {i}', digits: 3, modulo: 2, firstNumber: 1 })
  expect([make(), make(), make()].map(({ path, body }) => [path, body])).toEqual([
    ['/p-001', '001: 0'],
    ['/p-000', '000: 1'],
    ['/p-001', '001: 2'],
  ])
  const even = createRequestMaker({ method: 'GET', path: '/{n}', firstNumber: 4, step: 2 })
  expect([even().path, even().path]).toEqual(['/4', '/6'])
  const fixed = createRequestMaker({ method: 'GET', path: '/p' })
  expect(fixed()).toBe(fixed())
})

test('mixes request kinds in the given proportion', () => {
  const make = createMixedMaker([
    { request: { method: 'PATCH', path: '/write' }, times: 1 },
    { request: { method: 'GET', path: '/list' }, times: 3 },
    { request: { method: 'GET', path: '/get' }, times: 1 },
  ])
  const paths = Array.from({ length: 50 }, () => make().path)
  expect(['/write', '/list', '/get'].map((expectedPath) => paths.filter((path) => path === expectedPath).length)).toEqual([10, 30, 10])
  expect(new Set(paths.slice(0, 5))).toEqual(new Set(['/write', '/list', '/get']))
})
