import type { Subject } from '@keelson/api/rbac/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import type { Binding } from './bindings.ts'

export const bindingColumns: readonly Column<Binding>[] = [
  { name: 'Role', description: 'Bound role.', value: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  { name: 'Users', priority: 1, description: 'Users bound to the role.', value: ({ subjects }) => formatSubjects(subjects, 'User') },
  { name: 'Groups', priority: 1, description: 'Groups bound to the role.', value: ({ subjects }) => formatSubjects(subjects, 'Group') },
  {
    name: 'ServiceAccounts',
    priority: 1,
    description: 'Service accounts bound to the role.',
    value: ({ subjects }) => formatSubjects(subjects, 'ServiceAccount'),
  },
]

function formatSubjects(subjects: readonly DeepReadonly<Subject>[] = [], subjectKind: string): string {
  const matching = subjects.filter(({ kind }) => kind === subjectKind)
  return matching.map(({ name, namespace = '' }) => (subjectKind === 'ServiceAccount' ? `${namespace}/${name}` : name)).join(', ')
}
