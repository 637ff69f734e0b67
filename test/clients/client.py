# A client as somebody writes it in Python who has read the interface and nothing else: requests, urllib and xml.etree.
# Called with the address of the service, a user name, a password and a web service key; prints what it saw as JSON.
import http.cookiejar
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

import requests
from requests.auth import HTTPBasicAuth, HTTPDigestAuth

service, user, password, key = sys.argv[1:5]
seen = {}


def tree(element):
    """An object of the interface from its XML, by the rules of the interface."""
    kind = element.get('type')
    if kind == 'object':
        return {child.tag: tree(child) for child in element}
    if kind == 'array':
        assert all(child.tag == 'item' for child in element)
        return [tree(child) for child in element]
    return None if kind == 'null' else element.text or ''


def xml(text):
    root = ElementTree.fromstring(text)
    assert root.tag == 'root' and root.get('type') == 'object'
    return tree(root)


# The way in: what the service redirects to says where to sign in.
entrance = requests.get(service)
seen['entrance'] = entrance.status_code
ways = entrance.json()
token_url = urllib.parse.urljoin(entrance.url, ways['token_url'])

for name, auth in (('basic', HTTPBasicAuth(user.encode(), password.encode())), ('digest', HTTPDigestAuth(user, password))):
    session = requests.Session()
    session.auth = auth
    session.headers['Accept'] = 'application/json'
    answers = [session.get(entrance.url), session.get(entrance.url), session.get(urllib.parse.urljoin(entrance.url, ways['auth_%s_url' % name]))]
    seen[name] = [[answer.status_code, answer.json().get('auth_%s_valid' % name)] for answer in answers]
    posted = session.post(urllib.parse.urljoin(entrance.url, answers[0].json()['zones_url']), json={'name': name, 'type': 'circle', 'points': [{'latitude': 1, 'longitude': 2}], 'radius': 10})
    seen[name].append([posted.status_code, posted.json()['name']])
    wrong = requests.get(entrance.url, auth=type(auth)(user.encode() if name == 'basic' else user, 'wrong'))
    seen[name].append(wrong.status_code)

# A session with a token, in XML throughout.
session = requests.Session()
session.headers['Accept'] = 'application/xml'
gateway = session.post(token_url, data={'key': key})
seen['token'] = [gateway.status_code, len(gateway.history), xml(gateway.content)['token_valid'], session.cookies.get('token') is not None]


def follow(answer, link):
    return session.get(urllib.parse.urljoin(answer.url, xml(answer.content)[link]))


sample = follow(gateway, 'sample_url')
again = session.put(sample.url, data=sample.content, headers={'Content-Type': sample.headers['Content-Type']})
seen['put'] = [again.status_code, again.content == sample.content]
seen['sample'] = xml(sample.content)
fault = session.put(sample.url, data=b'<root type="object"><driver type="object"><name/></driver></root>', headers={'Content-Type': 'text/xml'})
seen['fault'] = [fault.status_code, xml(fault.content)]
trackers = follow(gateway, 'trackers_url')
made = session.post(trackers.url, data={'imei': '356307042441013', 'name': 'Füchse & "Dächse" <1>'})
seen['made'] = [made.status_code, xml(made.content)['name']]
positions = urllib.parse.urljoin(made.url, xml(made.content)['positions_url'])
listed = [{'ts': 1700000000 + i, 'latitude': 48 + i / 1000, 'longitude': 16.5} for i in range(25)]
session.post(positions, json={'positions': listed})
walked, page = [], session.get(positions, params={'limit': 7})
while True:
    walked += xml(page.content)['positions']
    if xml(page.content)['next_url'] is None:
        break
    page = follow(page, 'next_url')
seen['positions'] = [[int(one['ts']), float(one['latitude'])] for one in walked] == [[one['ts'], one['latitude']] for one in listed]
gpx = ElementTree.fromstring(session.get(positions, params={'_format': 'gpx'}).content)
seen['gpx'] = [gpx.tag, len(gpx.findall('.//{http://www.topografix.com/GPX/1/1}trkpt'))]
kml = ElementTree.fromstring(session.get(positions, params={'_format': 'kml'}).content)
seen['kml'] = [kml.tag, len(kml.findall('.//{http://www.google.com/kml/ext/2.2}coord'))]
missing = session.get(made.url + '0')
seen['missing'] = [missing.status_code, xml(missing.content)['_status']]
seen['deleted'] = session.delete(made.url).status_code

# urllib, by Basic and by cookie.
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, service, user, password)
opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
with opener.open(entrance.url) as answer:
    seen['urllib basic'] = [answer.status, json.load(answer)['auth_basic_valid']]
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
with opener.open(token_url, urllib.parse.urlencode({'username': user, 'password': password}).encode()) as answer:
    seen['urllib token'] = [answer.status, json.load(answer)['token_valid']]
with opener.open(entrance.url) as answer:
    seen['urllib cookie'] = [answer.status, json.load(answer)['token_valid']]

print(json.dumps(seen))
