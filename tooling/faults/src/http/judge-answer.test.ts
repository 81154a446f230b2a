import { expect, it } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'

const failure = { status: 500, type: 'text/plain', body: '' }

it('accepts an internal error without a body only for paths that end before the resource', () => {
  for (const path of ['/api/v1/proxy', '/api/v1/watch/', '//apis//apps//v1/watch?a=b'])
    expect(judgeAnswer(failure, { method: 'HEAD', path })).toBeUndefined()
  for (const path of ['/api/v1', '/api/v1/pods', '/api/proxy', '/api/v1/proxy/pods', '/apis/apps/v1/proxyx'])
    expect(judgeAnswer(failure, { method: 'HEAD', path })).toBe('answered 500: ')
  expect(judgeAnswer(failure, { method: 'GET', path: '/api/v1/proxy' })).toBe('answered 500: ')
})
