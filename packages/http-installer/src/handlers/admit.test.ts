import type { AdmissionAttributes, AdmissionChain } from '@keelson/registry'
import { expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'

const maps = '/api/v1/namespaces/a/configmaps'
const map = { metadata: { name: 'm' } }

it('runs mutating and validating admission for each write, with the options of its operation', async () => {
  const calls: string[] = []
  const recordCall = (half: string) => (attributes: AdmissionAttributes) => {
    const { operation, namespace, name, object, oldObject, dryRun, options } = attributes
    const objects = `${object ? 'new' : ''}${oldObject ? 'old' : ''}`
    calls.push(`${half} ${operation} ${namespace}/${name} ${objects}${dryRun ? ' dry' : ''} ${JSON.stringify(options)}`)
  }
  const admission: AdmissionChain = { handles: () => true, admit: recordCall('admit'), validate: recordCall('validate') }
  await using server = await openTestServer({ admission })
  await server.request('POST', `${maps}?dryRun=All&fieldValidation=Strict`, map)
  await server.request('POST', `${maps}?fieldManager=me`, map)
  await server.request('PUT', `${maps}/m`, { ...map, data: { a: '1' } })
  await server.request('PATCH', `${maps}/m`, { data: { b: '2' } }, { 'content-type': 'application/merge-patch+json' })
  await server.request('DELETE', `${maps}/m?gracePeriodSeconds=5`)
  const formatBothCalls = (text: string): string[] => [`admit ${text}`, `validate ${text}`]
  const formatOptions = (kind: string, more: string): string => `{"kind":"${kind}","apiVersion":"meta.k8s.io/v1",${more}}`
  const updateOptions = '{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"}'
  expect(calls).toEqual([
    ...formatBothCalls(`CREATE a/m new dry ${formatOptions('CreateOptions', '"dryRun":["All"],"fieldValidation":"Strict"')}`),
    ...formatBothCalls(`CREATE a/m new ${formatOptions('CreateOptions', '"fieldManager":"me"')}`),
    ...formatBothCalls(`UPDATE a/m newold ${updateOptions}`),
    ...formatBothCalls(`UPDATE a/m newold ${updateOptions}`),
    ...formatBothCalls(`DELETE a/m old ${formatOptions('DeleteOptions', '"gracePeriodSeconds":5')}`),
  ])
})
