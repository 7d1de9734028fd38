// The constants for internet passwords, by kind. The values are Apple's, because programs store them.
import Foundation

// MARK: Protocols

/// FTP.
public var kSecAttrProtocolFTP: CFString { "ftp " }
/// An FTP account.
public var kSecAttrProtocolFTPAccount: CFString { "ftpa" }
/// HTTP.
public var kSecAttrProtocolHTTP: CFString { "http" }
/// IRC.
public var kSecAttrProtocolIRC: CFString { "irc " }
/// NNTP.
public var kSecAttrProtocolNNTP: CFString { "nntp" }
/// POP3.
public var kSecAttrProtocolPOP3: CFString { "pop3" }
/// SMTP.
public var kSecAttrProtocolSMTP: CFString { "smtp" }
/// SOCKS.
public var kSecAttrProtocolSOCKS: CFString { "sox " }
/// IMAP.
public var kSecAttrProtocolIMAP: CFString { "imap" }
/// LDAP.
public var kSecAttrProtocolLDAP: CFString { "ldap" }
/// AppleTalk.
public var kSecAttrProtocolAppleTalk: CFString { "atlk" }
/// AFP.
public var kSecAttrProtocolAFP: CFString { "afp " }
/// Telnet.
public var kSecAttrProtocolTelnet: CFString { "teln" }
/// SSH.
public var kSecAttrProtocolSSH: CFString { "ssh " }
/// FTPS.
public var kSecAttrProtocolFTPS: CFString { "ftps" }
/// HTTPS.
public var kSecAttrProtocolHTTPS: CFString { "htps" }
/// An HTTP proxy.
public var kSecAttrProtocolHTTPProxy: CFString { "htpx" }
/// An HTTPS proxy.
public var kSecAttrProtocolHTTPSProxy: CFString { "htsx" }
/// An FTP proxy.
public var kSecAttrProtocolFTPProxy: CFString { "ftpx" }
/// SMB.
public var kSecAttrProtocolSMB: CFString { "smb " }
/// RTSP.
public var kSecAttrProtocolRTSP: CFString { "rtsp" }
/// An RTSP proxy.
public var kSecAttrProtocolRTSPProxy: CFString { "rtsx" }
/// DAAP.
public var kSecAttrProtocolDAAP: CFString { "daap" }
/// Remote Apple events (EPPC).
public var kSecAttrProtocolEPPC: CFString { "eppc" }
/// IPP.
public var kSecAttrProtocolIPP: CFString { "ipp " }
/// NNTPS.
public var kSecAttrProtocolNNTPS: CFString { "ntps" }
/// LDAPS.
public var kSecAttrProtocolLDAPS: CFString { "ldps" }
/// Telnet over TLS.
public var kSecAttrProtocolTelnetS: CFString { "tels" }
/// IMAPS.
public var kSecAttrProtocolIMAPS: CFString { "imps" }
/// IRCS.
public var kSecAttrProtocolIRCS: CFString { "ircs" }
/// POP3S.
public var kSecAttrProtocolPOP3S: CFString { "pops" }

// MARK: Kinds of authentication

/// NTLM.
public var kSecAttrAuthenticationTypeNTLM: CFString { "ntlm" }
/// Microsoft Network.
public var kSecAttrAuthenticationTypeMSN: CFString { "msna" }
/// Distributed password authentication.
public var kSecAttrAuthenticationTypeDPA: CFString { "dpaa" }
/// Remote password authentication.
public var kSecAttrAuthenticationTypeRPA: CFString { "rpaa" }
/// HTTP Basic authentication.
public var kSecAttrAuthenticationTypeHTTPBasic: CFString { "http" }
/// HTTP Digest authentication.
public var kSecAttrAuthenticationTypeHTTPDigest: CFString { "httd" }
/// A sign-in form in HTML.
public var kSecAttrAuthenticationTypeHTMLForm: CFString { "form" }
/// The default kind of authentication.
public var kSecAttrAuthenticationTypeDefault: CFString { "dflt" }
