{{- define "dhara.labels" -}}
app.kubernetes.io/name: dhara
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "dhara.metadata" -}}
name: {{ printf "%s-%s" .root.Release.Name .component }}
labels:
  {{- include "dhara.labels" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "dhara.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}
{{- end }}

{{- define "dhara.env" -}}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name := .root.Values.secret.settings }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.secret.existingSecret }}
      key: {{ $name }}
{{- end }}
- name: DATA_DIR
  value: /var/lib/dhara
- name: LEDGER_SEALS_DIR
  value: /var/lib/dhara-seals
{{- end }}

{{- define "dhara.mounts" -}}
- name: data
  mountPath: /var/lib/dhara
- name: seals
  mountPath: /var/lib/dhara-seals
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "dhara.volumes" -}}
- name: data
  {{- if .Values.data.existingClaim }}
  persistentVolumeClaim:
    claimName: {{ .Values.data.existingClaim }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ .Values.data.sizeLimit }}
  {{- end }}
- name: seals
  persistentVolumeClaim:
    claimName: {{ required "seals.existingClaim: the heads of sealed ledger blocks must outlive pods" .Values.seals.existingClaim }}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- end }}

{{- define "dhara.containerSecurity" -}}
runAsNonRoot: true
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end }}

{{- define "dhara.sandboxed" -}}
{{- include "dhara.containerSecurity" . }}
seccompProfile:
  {{- toYaml .Values.sandbox.seccompProfile | nindent 2 }}
appArmorProfile:
  {{- toYaml .Values.sandbox.appArmorProfile | nindent 2 }}
{{- end }}

{{- define "dhara.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 64800
  runAsGroup: 64800
  fsGroup: 64800
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "dhara.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "dhara.labels" . | nindent 8 }}
{{- end }}
