import { describe, expect, it } from 'vitest'
import { isHarmless, restrictToRun } from './harmless.ts'

const createNode = (name: unknown) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } }) as never

describe('harmless', () => {
  it.each([
    ['GET', '/api/v1/nodes'],
    ['POST', '/api/v1/namespaces/${ns}/pods'],
    ['DELETE', '/api/v1/namespaces/${ns}/pods'],
    ['DELETE', '/api/v1/nodes/${ns}-one'],
    ['PUT', '/api/v1/namespaces/${ns}-one/finalize'],
    ['PATCH', '/apis/storage.k8s.io/v1/csidrivers/${ns}-one/status?force=true'],
  ])('allows %s %s', (method, path) => {
    expect(isHarmless({ method, path })).toBe(true)
  })

  it.each([
    ['POST', '/api/v1/namespaces/default/pods'],
    ['DELETE', '/api/v1/nodes'],
    ['DELETE', '/api/v1/nodes?dryRun=All'],
    ['DELETE', '/api/v1/nodes/a?dryRun=All'],
    ['PATCH', '/api/v1/namespaces/default'],
    ['DELETE', '/api/v1/namespaces/${ns}/../default/pods'],
  ])('rejects %s %s', (method, path) => {
    expect(isHarmless({ method, path })).toBe(false)
    expect(() => restrictToRun({ method, path })).toThrow('would change objects outside the run')
  })

  it('changes a create request into a dry run if the name does not belong to the run', () => {
    const path = '/api/v1/nodes?fieldManager=a'
    expect(restrictToRun({ method: 'POST', path, body: createNode('${ns}-a') }).path).toBe(path)
    for (const name of ['a', '', null, 5, undefined])
      expect(restrictToRun({ method: 'POST', path, body: createNode(name) }).path).toBe('/api/v1/nodes?fieldManager=a&dryRun=All')
    expect(restrictToRun({ method: 'POST', path: '/api/v1/nodes?dryRun=Bogus', body: createNode('a') }).path).toBe(
      '/api/v1/nodes?dryRun=All',
    )
  })
})
