// A token is valid for five minutes. If the page has been open for longer, the player asks for another one.
document.querySelector('dhara-player').tokenProvider = async () => {
  const response = await fetch(`${location.pathname}/token`, { method: 'POST' });
  if (!response.ok) throw new Error(`The site gave no token: ${response.status}`);
  return response.text();
};
