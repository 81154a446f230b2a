import { matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

export const patch: Topic = {
  'three patch types': [
    ['create configmap a --from-literal=a=1', 'configmap/a created'],
    ['patch cm a -p {"data":{"b":"2"}}', 'configmap/a patched'],
    ['patch cm a -p {"data":{"b":"2"}}', 'configmap/a patched (no change)'],
    ['patch cm a --type=merge -p {"data":{"a":null}}', 'configmap/a patched'],
    ['patch cm a --type=json -p [{"op":"add","path":"/data/c","value":"3"}]', 'configmap/a patched'],
    ['get cm a -o jsonpath={.data}', '{"b":"2","c":"3"}'],
    ['patch cm a --type=json -p [{"op":"remove","path":"/data/b"}] --dry-run=server -o jsonpath={.data}', '{"c":"3"}'],
    ['patch cm a -p {"data":{"b":"4"}} --local=false -o jsonpath={.data.b}', '4'],
  ],
  'rejects invalid patches': [
    ['create configmap a --from-literal=a=1', 'configmap/a created'],
    [
      'patch cm a --type=json -p [{"op":"test","path":"/data/a","value":"2"}]',
      { code: 1, stderr: 'The request is invalid: the server rejected our request due to an error in our request' },
    ],
    [
      'patch cm a --type=json -p [{"op":"remove","path":"/data/z"}]',
      { code: 1, stderr: 'The request is invalid: the server rejected our request due to an error in our request' },
    ],
    [
      "patch cm a --type=merge -p 'no patch'",
      { code: 1, stderr: /^(error: unable to parse|Error from server \(BadRequest\): error decoding patch)/ },
    ],
    [
      'patch cm a --type=merge -p {"metadata":{"uid":"x"}}',
      { code: 1, stderr: 'The ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable' },
    ],
    [
      'patch cm a --type=merge -p {"data":{"a":1}}',
      {
        code: 1,
        stderr:
          /^The request is invalid: patch: Invalid value: .*: json: cannot unmarshal number into Go struct field ConfigMap\.data of type string\n$/,
      },
    ],
    [
      'patch cm a -p {"metadata":{"resourceVersion":"1"}}',
      { code: 1, stderr: /^Error from server \(Conflict\): Operation cannot be fulfilled on configmaps "a": the object has been modified/ },
    ],
    [
      'patch cm a -p {"data":{"a":1}}',
      { code: 1, stderr: 'The request is invalid: patch: Invalid value: "map[data:map[a:1]]": cannot convert int64 to string' },
    ],
    ['patch cm nope -p {}', { code: 1, stderr: 'Error from server (NotFound): configmaps "nope" not found' }],
  ],
  'merges lists by key': [
    ['create deployment d --image=one --image=two', 'deployment.apps/d created'],
    ['patch deployment d -p {"spec":{"template":{"spec":{"containers":[{"name":"two","image":"three"}]}}}}', 'deployment.apps/d patched'],
    ['get deployment d -o jsonpath={.spec.template.spec.containers[*].image}', 'one three'],
    ['patch deployment d -p {"spec":{"template":{"spec":{"containers":[{"name":"one","$patch":"delete"}]}}}}', 'deployment.apps/d patched'],
    ['get deployment d -o jsonpath={.spec.template.spec.containers[*].image}', 'three'],
    ['patch deployment d --subresource=scale --type=merge -p {"spec":{"replicas":4}}', 'scale.autoscaling/d patched'],
    [
      'patch deployment d --subresource=status --type=merge -p {"status":{"replicas":4,"readyReplicas":3,"updatedReplicas":2,"availableReplicas":1},"spec":{"replicas":9}}',
      'deployment.apps/d patched',
    ],
    ['get deployment d', matchTable('NAME READY UP-TO-DATE AVAILABLE AGE', 'd 3/4 2 1 *')],
  ],
  labels: [
    ['create configmap a', 'configmap/a created'],
    ['label cm a t=1', 'configmap/a labeled'],
    ['label cm a t=1', 'configmap/a not labeled'],
    ['label cm a t=2', { code: 1, stderr: "error: 't' already has a value (1), and --overwrite is false" }],
    ['label cm a t=2 --overwrite', 'configmap/a labeled'],
    ['label cm a --list', 't=2'],
    [
      'label cm a t=3 --overwrite --resource-version=1',
      { code: 1, stderr: /^Error from server \(Conflict\): Operation cannot be fulfilled on configmaps "a"/ },
    ],
    [
      "label cm a 'bad key=1'",
      {
        code: 1,
        stderr:
          /^The ConfigMap "a" is invalid: metadata\.labels: Invalid value: "bad key": name part must consist of alphanumeric characters/,
      },
    ],
    ['label cm a t-', 'configmap/a unlabeled'],
    ['label cm --all t=all', 'configmap/a labeled\nconfigmap/kube-root-ca.crt labeled'],
    [
      'label cm -l t=all u=some --dry-run=server',
      'configmap/a labeled (server dry run)\nconfigmap/kube-root-ca.crt labeled (server dry run)',
    ],
    ['label cm nope t=1', { code: 1, stderr: 'Error from server (NotFound): configmaps "nope" not found' }],
    ['get cm a --show-labels', matchTable('NAME DATA AGE LABELS', 'a 0 * t=all')],
  ],
  annotations: [
    ['create configmap a', 'configmap/a created'],
    ["annotate cm a 'note=hello there'", 'configmap/a annotated'],
    [
      'annotate cm a note=bye',
      {
        code: 1,
        stderr: "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (hello there)",
      },
    ],
    ['annotate cm a note=bye --overwrite', 'configmap/a annotated'],
    ['annotate cm a --list', 'note=bye'],
    ['annotate cm a note-', 'configmap/a annotated'],
    ['get cm a -o jsonpath={.metadata.annotations}', ''],
    ['annotate cm --all every=one', 'configmap/a annotated\nconfigmap/kube-root-ca.crt annotated'],
  ],
}
