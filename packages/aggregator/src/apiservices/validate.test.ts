import type { APIService } from '@keelson/api/apiregistration/v1'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { validateApiService, validateApiServiceStatus } from './validate.ts'

function createApiService(spec: Partial<APIService['spec']> = {}, name = 'v1.a.example.com'): APIService {
  return { metadata: { name }, spec: { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, ...spec } }
}

const listProblems = (apiService: APIService): string[] => validateApiService(apiService).map(formatFieldError)

describe('validateApiService', () => {
  it('accepts local APIServices and those of services', () => {
    const service = { namespace: 'n', name: 's', port: 443 }
    expect(listProblems(createApiService())).toEqual([])
    expect(listProblems(createApiService({ service, caBundle: 'eA==' }))).toEqual([])
    expect(listProblems(createApiService({ service, insecureSkipTLSVerify: true }))).toEqual([])
    expect(listProblems(createApiService({ group: '' }, 'v1.'))).toEqual([])
  })

  it('requires the name to consist of version and group', () => {
    expect(listProblems(createApiService({ version: 'v2' }))).toEqual([
      'metadata.name: Invalid value: "v1.a.example.com": must be `spec.version+"."+spec.group`: "v2.a.example.com"',
    ])
    expect(listProblems(createApiService({ group: '', version: 'v2' }, 'v2.'))).toEqual([
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ])
  })

  it('limits priorities', () => {
    expect(listProblems(createApiService({ groupPriorityMinimum: 20_001, versionPriority: 0 }))).toEqual([
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ])
  })

  it('allows TLS settings only where they have an effect', () => {
    expect(listProblems(createApiService({ caBundle: 'eA==', insecureSkipTLSVerify: true }))).toEqual([
      'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ])
    expect(listProblems(createApiService({ service: { name: 's', port: 70_000 }, caBundle: 'eA==', insecureSkipTLSVerify: true }))).toEqual(
      [
        'spec.service.namespace: Required value',
        'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    )
  })
})

it('accepts only three statuses of conditions', () => {
  const apiService = { ...createApiService(), status: { conditions: [{ type: 'Available', status: 'Maybe' }] } }
  expect(validateApiServiceStatus(apiService).map(formatFieldError)).toEqual([
    'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
  ])
})
