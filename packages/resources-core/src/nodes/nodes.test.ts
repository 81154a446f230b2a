import type { Node } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { nodes, normalizeNode, setNodeDefaults } from './index.ts'
import { nodeStatus } from './strategy.ts'

const context = {} as RequestContext
const metadata = { name: 'n' }
const { strategy } = nodes

function update(changed: Partial<Node>, stored: Partial<Node>): string[] {
  const node: Node = structuredClone({ metadata, ...changed })
  const old: Node = { metadata, ...stored }
  strategy.prepareForUpdate?.(context, node, old)
  return (strategy.validateUpdate?.(context, node, old) ?? []).map(formatFieldError)
}
const create = (node: Partial<Node>): string[] => (strategy.validateCreate?.(context, { metadata, ...node }) ?? []).map(formatFieldError)

describe('nodes', () => {
  it('sets allocatable to capacity by default', () => {
    const node: Node = { metadata, status: { capacity: { cpu: '1.5', memory: '1024Ki', tiny: '0.1m' } } }
    setNodeDefaults(node)
    expect(node.status).toEqual({
      capacity: { cpu: '1500m', memory: '1Mi', tiny: '1m' },
      allocatable: { cpu: '1500m', memory: '1Mi', tiny: '1m' },
    })
  })

  it('keeps podCIDR and podCIDRs in sync', () => {
    expect(normalizeNode({ metadata, spec: { podCIDR: '10.0.0.0/24' } }).spec?.podCIDRs).toEqual(['10.0.0.0/24'])
    expect(normalizeNode({ metadata, spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } }).spec?.podCIDR).toBe('10.0.0.0/24')
    const old = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }
    expect(normalizeNode({ metadata, spec: old }).spec?.podCIDRs).toEqual(['10.1.0.0/24'])
  })

  it('validates pod CIDRs, taints and quantities', () => {
    expect(create({ spec: { podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'] } })).toEqual([
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family',
    ])
    const taint = { key: 'a', effect: 'NoSchedule' }
    expect(create({ spec: { taints: [taint, { ...taint, effect: 'NoExecute' }, taint] } })).toEqual([
      'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ])
    expect(create({ status: { capacity: { pods: '1500m', cpu: '-1' } } })).toEqual([
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ])
  })

  it('rejects changes of pod CIDRs and provider ID, and keeps the stored status', () => {
    const old = { spec: { podCIDRs: ['10.0.0.0/24'], providerID: 'p' }, status: { phase: 'Running' } }
    expect(update({ spec: { podCIDRs: ['10.1.0.0/24'], providerID: 'q' } }, old)).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ])
    expect(update({ spec: { podCIDRs: ['10.0.0.0/24'], providerID: 'q', unschedulable: true } }, {})).toEqual([])
    const node: Node = { metadata, spec: { unschedulable: true }, status: { phase: 'x' } }
    nodeStatus.update.prepareForUpdate?.(context, node, { metadata, ...old })
    expect(node).toMatchObject({ spec: old.spec, status: { phase: 'x' } })
  })

  it('prints status, roles and kernel as columns', () => {
    const { columns, createCells } = createTableConvertor(nodes)
    const node: Node = {
      metadata: { name: 'n', labels: { 'node-role.kubernetes.io/b': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'c' } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }], addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    }
    const row = Object.fromEntries(createCells(node, 0).map((cell, i) => [columns[i]!.name, cell]))
    expect(row).toMatchObject({ Status: 'Ready,SchedulingDisabled', Roles: 'a,b,c', 'Internal-IP': '10.0.0.1', 'OS-Image': '<unknown>' })
    expect(columns.map(({ name }) => name).slice(0, 5)).toEqual(['Name', 'Status', 'Roles', 'Age', 'Version'])
  })
})
