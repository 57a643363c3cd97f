export function UploadDock() {
  return null;
}
