import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

export const discovery: Topic = {
  explain: [
    ['explain pods', [/^KIND: +Pod\nVERSION: +v1\n/, /^FIELDS:\n/m, /^ {2}spec\t<PodSpec>$/m]],
    ['explain pods.spec.containers', [/^FIELD: containers <\[\]Container>$/m, /^ {2}name\t<string> -required-$/m]],
    ['explain pods.spec.containers.image', /^FIELD: image <string>$/m],
    [
      'explain pod.spec.tolerations',
      /^DESCRIPTION:\n {4}Taints of nodes that the pod accepts\.\n {4}Lets a pod run on nodes with matching taints\.$/m,
    ],
    [
      'explain pods --recursive',
      [/^ {4}containers\t<\[\]Container> -required-$/m, /^ {10}httpGet\t<HTTPGetAction>$/m, /^ {4}podIPs\t<\[\]PodIP>$/m],
    ],
    [
      'explain cronjobs --api-version=batch/v1',
      [/^GROUP: +batch\nKIND: +CronJob\nVERSION: +v1\n/, /^ {2}spec\t<CronJobSpec>( -required-)?$/m],
    ],
    ['explain hpa --api-version=autoscaling/v1 --recursive', /^ {4}targetCPUUtilizationPercentage\t<integer>$/m],
    [
      'explain configmap --output=plaintext-openapiv2 --recursive',
      [/^KIND: +ConfigMap\nVERSION: +v1\n/, /^ {3}binaryData\t<map\[string\]string>\n {3}data\t<map\[string\]string>$/m],
    ],
    ['explain pod.nope', { code: 1, stdout: /^KIND: +Pod\n/, stderr: 'error: field "nope" does not exist' }],
    ['explain nope', { code: 1, stderr: /the server doesn't have a resource type "nope"/ }],
  ],
  'api-resources, api-versions': [
    [
      'api-resources',
      matchLines(
        'NAME SHORTNAMES APIVERSION NAMESPACED KIND',
        'bindings v1 true Binding',
        'componentstatuses cs v1 false ComponentStatus',
        'configmaps cm v1 true ConfigMap',
        'namespaces ns v1 false Namespace',
        'pods po v1 true Pod',
        'deployments deploy apps/v1 true Deployment',
        'horizontalpodautoscalers hpa autoscaling/v2 true HorizontalPodAutoscaler',
        'events ev events.k8s.io/v1 true Event',
        'ingresses ing networking.k8s.io/v1 true Ingress',
        'selfsubjectreviews authentication.k8s.io/v1 false SelfSubjectReview',
      ),
    ],
    [
      'api-resources -o wide',
      matchLines(
        'NAME SHORTNAMES APIVERSION NAMESPACED KIND VERBS CATEGORIES',
        'pods po v1 true Pod create,delete,deletecollection,get,list,patch,update,watch all',
        'namespaces ns v1 false Namespace create,delete,get,list,patch,update,watch',
        'tokenreviews authentication.k8s.io/v1 false TokenReview create',
      ),
    ],
    [
      'api-resources --categories=all -o name',
      'pods\nreplicationcontrollers\nservices\ndaemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\nhorizontalpodautoscalers.autoscaling\ncronjobs.batch\njobs.batch',
    ],
    ['api-resources --verbs=create,list --api-group=authorization.k8s.io', matchTable('NAME SHORTNAMES APIVERSION NAMESPACED KIND')],
    ['api-resources --api-group=batch --no-headers', matchTable('cronjobs cj batch/v1 true CronJob', 'jobs batch/v1 true Job')],
    [
      'api-resources --namespaced=false --api-group=storage.k8s.io -o name --sort-by=name',
      'csidrivers.storage.k8s.io\ncsinodes.storage.k8s.io\nstorageclasses.storage.k8s.io\nvolumeattachments.storage.k8s.io\nvolumeattributesclasses.storage.k8s.io',
    ],
    [
      'api-versions',
      matchLines(
        'apps/v1',
        'autoscaling/v1',
        'autoscaling/v2',
        'batch/v1',
        'certificates.k8s.io/v1',
        'events.k8s.io/v1',
        'policy/v1',
        'rbac.authorization.k8s.io/v1',
        'v1',
      ),
    ],
  ],
  'version and the cluster': async (session) => {
    await session.play(
      ['version', { stdout: [/^Client Version: v1\./, /^Server Version: v1\.36/m], stderr: /^(WARNING: version difference[^\n]*\n)?$/ }],
      [
        'version -o json',
        { stdout: [/"serverVersion": \{\n +"major": "1",\n +"minor": "36"/], stderr: /^(WARNING: version difference[^\n]*\n)?$/ },
      ],
      ['cluster-info', /Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/],
      ['cluster-info dump --output-directory=dump', 'Cluster info dumped to dump'],
      ['create configmap dumped --from-file=dump/nodes.json', 'configmap/dumped created'],
      ['get cm dumped -o jsonpath={.data}', /\\"kind\\": \\"NodeList\\"/],
      ['config current-context', 'keelson'],
      ['config view --minify -o jsonpath={.contexts[0].context.namespace}', session.namespace],
      ['__complete get cm kube', { stdout: /^kube-root-ca\.crt\n/, stderr: /ShellCompDirectiveNoFileComp/ }],
    )
  },
  proxy: async (session) => {
    const proxy = session.start('proxy --port=0')
    try {
      await proxy.until('Starting to serve on 127.0.0.1:')
      const port = /127\.0\.0\.1:(\d+)/.exec(proxy.lines().join('\n'))?.[1]
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/${session.namespace}/configmaps/kube-root-ca.crt`)
      const { kind } = (await answer.json()) as { kind: string }
      if (kind !== 'ConfigMap') throw new Error(`the proxy returned a ${kind}`)
    } finally {
      proxy.child.kill()
    }
  },
}
