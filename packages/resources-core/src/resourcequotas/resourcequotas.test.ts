import type { ResourceQuota, ResourceQuotaSpec } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { resourceQuotas } from './index.ts'
import { validateResourceQuota, validateResourceQuotaUpdate } from './validate.ts'

const createQuota = (spec: ResourceQuotaSpec): ResourceQuota => ({ metadata: { name: 'q' }, spec })
const validate = (spec: ResourceQuotaSpec): string[] => validateResourceQuota(createQuota(spec)).map(formatFieldError)

describe('resource quotas', () => {
  it('accepts known resources in integer quantities', () => {
    expect(validate({ hard: { 'count/widgets.example.com': '1', pods: '1500m', storage: '1' } })).toEqual([
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
    ])
  })

  it('rejects unknown scopes, and resources that a scope does not support', () => {
    expect(validate({ hard: { cpu: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'Mine'] })).toEqual([
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Mine"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Mine"]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Mine"]: conflicting scopes',
    ])
    const matchExpressions = [
      { scopeName: 'Terminating', operator: 'In', values: ['a'] },
      { scopeName: 'PriorityClass', operator: 'In' },
      { scopeName: 'PriorityClass', operator: 'Like', values: ['a'] },
    ]
    expect(validate({ scopeSelector: { matchExpressions } }).map((text) => text.split(': ').slice(0, 2))).toEqual([
      ['spec.scopeSelector.matchExpressions.operator', 'Invalid value'],
      ['spec.scopeSelector.matchExpressions.values', 'Required value'],
      ['spec.scopeSelector.matchExpressions.operator', 'Invalid value'],
    ])
  })

  it('rejects changes of the scopes', () => {
    const validateScopeChange = (scopes: string[], old: string[]): string[] =>
      validateResourceQuotaUpdate(createQuota({ scopes }), createQuota({ scopes: old })).map(formatFieldError)
    expect(validateScopeChange(['BestEffort'], ['BestEffort'])).toEqual([])
    expect(validateScopeChange(['BestEffort'], [])).toEqual(['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'])
  })

  it('warns about requests above limits, and prints both as columns', () => {
    const hard = { 'requests.cpu': '2', 'limits.cpu': '1', pods: '3' }
    const { strategy } = resourceQuotas
    expect(strategy.warningsOnCreate?.({} as RequestContext, createQuota({ hard }))).toEqual([
      'ResourceQuota requests.cpu (2) should be less than limits.cpu (1)',
    ])
    const shown = { ...createQuota({}), status: { hard, used: { pods: '1' } } }
    expect(createTableConvertor(resourceQuotas).createCells(shown, 0)).toEqual([
      'q',
      'pods: 1/3, requests.cpu: 0/2',
      'limits.cpu: 0/1',
      '<unknown>',
    ])
  })
})
