import type { Node } from '@keelson/api/core/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { findCidrWarnings } from '../cidr.ts'
import { keepMember } from '../keep-member.ts'
import { validateNode, validateNodeChange } from './validate.ts'

/** Strategy of nodes. A create keeps the status of the request, because kubelets register their nodes with a status. */
export const nodeStrategy: Strategy<Node> = {
  resetFields: withoutFields('status'),
  prepareForCreate(_context, node) {
    delete node.spec?.configSource
    delete node.status?.config
  },
  prepareForExport: (node, exact) => {
    if (!exact) delete node.status
  },
  validateCreate: (_context, node) => validateNode(node),
  warningsOnCreate: (_context, node) => findNodeWarnings(node),
  prepareForUpdate(_context, node, old) {
    keepMember(node, old, 'status')
    if (old.spec?.configSource === undefined) delete node.spec?.configSource
  },
  validateUpdate: (_context, node, old) => [...validateNode(node), ...validateNodeChange(node, old)],
  warningsOnUpdate: (_context, node) => findNodeWarnings(node),
}

export const nodeStatus: SubresourceStrategy<Node> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate(_context, node, old) {
      keepMember(node, old, 'spec')
      if (old.status?.config === undefined) delete node.status?.config
    },
    validateUpdate: (_context, node, old) => validateNodeChange(node, old),
  },
}

function findNodeWarnings({ spec }: DeepReadonly<Node>): readonly string[] {
  return [
    ...(spec?.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...(spec?.podCIDRs ?? []).flatMap((value, i) => findCidrWarnings(value, newFieldPath('spec', 'podCIDRs').index(i))),
  ]
}
