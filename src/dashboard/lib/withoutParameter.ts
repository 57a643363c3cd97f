/** The parameters of an address without `name`, for `setSearch`. */
export function withoutParameter(name: string): (search: URLSearchParams) => URLSearchParams {
  return (search) => {
    const rest = new URLSearchParams(search);
    rest.delete(name);
    return rest;
  };
}
